//! Where somebody who has found a hole says so, readable from the deployed program: the text that `query-security-txt` and explorers look
//! for. What stands here must be true of this source whoever deploys it; SECURITY.md says the same at length.

macro_rules! security_txt {
    ($($field:literal: $value:literal)*) => {
        concat!("=======BEGIN SECURITY.TXT V1=======\0", $($field, "\0", $value, "\0",)* "=======END SECURITY.TXT V1=======\0")
    };
}

const TEXT: &str = security_txt! {
    "name": "Payout ledger"
    "project_url": "the repository that this program is built from"
    "contacts": "other:the form `Report a vulnerability` of that repository (Security, Advisories)"
    "policy": "Report privately and say how to see it; please keep it to yourself until there is a fix, 90 days at most. At length: SECURITY.md"
    "preferred_languages": "en"
    "auditors": "None"
};

const LENGTH: usize = TEXT.len();

/// Bytes and not a reference: nothing of the program reads them, so the linker keeps them only as a named constant that is marked as used.
#[used]
#[unsafe(no_mangle)]
#[unsafe(link_section = ".rodata.security.txt")]
static security_txt: [u8; LENGTH] = match TEXT.as_bytes().first_chunk() {
    Some(bytes) => *bytes,
    None => panic!("the text is as long as itself"),
};

"""Reads bank files strictly, as others do: prints what they say as JSON.

pain.001 by the schema that sepaxml validates its own files with; all of them by pyiso20022, into whose classes nothing goes that the
standard's schemas do not have, whose own checks of lengths, patterns and digits they pass, and which writes them in the same order.
"""

import importlib
import importlib.util
import json
import sys
from pathlib import Path

from lxml import etree
from sepaxml.validation import try_valid_xml
from xsdata.formats.dataclass.parsers import XmlParser
from xsdata.formats.dataclass.parsers.config import ParserConfig
from xsdata.formats.dataclass.serializers import XmlSerializer


def own_checks():
    """pyiso20022's validation; by its file, since the tools beside it want pandas."""
    package = importlib.util.find_spec("pyiso20022").submodule_search_locations[0]
    spec = importlib.util.spec_from_file_location("validation", Path(package) / "tools" / "validation.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.validate_message


validate_message = own_checks()
STRICT = ParserConfig(
    fail_on_unknown_properties=True,
    fail_on_unknown_attributes=True,
    fail_on_converter_warnings=True,
)


def order_of(xml):
    return [element.tag for element in etree.fromstring(xml).iter()]


def parsed(file, kind):
    module = importlib.import_module(f"pyiso20022.{kind[:4]}.{kind.replace('.', '_')}")
    document = XmlParser(config=STRICT).from_bytes(file.read_bytes(), module.Document)
    found = validate_message(document, strict=False)
    if not found.is_valid:
        raise ValueError(f"{kind}: {[str(error) for error in found.errors][:5]}")
    if order_of(XmlSerializer().render(document).encode()) != order_of(file.read_bytes()):
        raise ValueError(f"{kind}: its elements are out of order")
    return document


def amount(written):
    return [str(written.value), written.ccy]


def order(folder):
    file = folder / "pain.001.xml"
    try_valid_xml(file.read_bytes(), "pain.001.001.09")
    message = parsed(file, "pain.001.001.09").cstmr_cdt_trf_initn
    payments = [each for group in message.pmt_inf for each in group.cdt_trf_tx_inf]
    return {
        "count": message.grp_hdr.nb_of_txs,
        "sum": str(message.grp_hdr.ctrl_sum),
        "payments": [
            [each.pmt_id.end_to_end_id, each.cdtr_acct.prxy.id, *amount(each.amt.instd_amt)] for each in payments
        ],
    }


def report(folder):
    message = parsed(folder / "pain.002.xml", "pain.002.001.10").cstmr_pmt_sts_rpt
    payments = [each for group in message.orgnl_pmt_inf_and_sts for each in group.tx_inf_and_sts]
    return {
        "sum": str(message.orgnl_grp_inf_and_sts.orgnl_ctrl_sum),
        "payments": [
            [each.orgnl_end_to_end_id, each.tx_sts, *amount(each.orgnl_tx_ref.amt.instd_amt)] for each in payments
        ],
    }


def notification(folder):
    message = parsed(folder / "camt.054.xml", "camt.054.001.08").bk_to_cstmr_dbt_cdt_ntfctn
    (entry,) = message.ntfctn[0].ntry
    payments = [each for details in entry.ntry_dtls for each in details.tx_dtls]
    return {
        "sum": amount(entry.amt),
        "payments": [
            [each.refs.end_to_end_id, each.rltd_pties.cdtr_acct.prxy.id, *amount(each.amt)] for each in payments
        ],
    }


def account(folder):
    (statement,) = parsed(folder / "camt.053.xml", "camt.053.001.08").bk_to_cstmr_stmt.stmt
    return {
        "balances": [[each.tp.cd_or_prtry.cd, *amount(each.amt)] for each in statement.bal],
        "entries": [[each.cdt_dbt_ind.value, *amount(each.amt)] for each in statement.ntry],
    }


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    print(json.dumps([order(folder), report(folder), notification(folder), account(folder)]))

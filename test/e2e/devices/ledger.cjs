// A Ledger wallet on its cable, for the maker's own library of its Solana app: its addresses, and signatures of whole transactions, by a key
// in the file that LEDGER_KEY names. It confirms what it is asked. The packets are those of https://github.com/LedgerHQ/app-solana.
const { createPrivateKey, sign } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { default: Transport } = require('@ledgerhq/hw-transport');

/** What stands before the 32 bytes of an Ed25519 key in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const [ADDRESS, SIGNATURE] = [5, 6];
/** Whether a packet goes on with the one before, and whether more follow. */
const [GOES_ON, MORE_FOLLOW] = [1, 2];
const [DONE, UNKNOWN] = [Buffer.from('9000', 'hex'), Buffer.from('6d00', 'hex')];

class Device extends Transport {
  key = Buffer.from(JSON.parse(readFileSync(process.env.LEDGER_KEY, 'utf8')));
  asked = Buffer.alloc(0);

  static create() {
    return Promise.resolve(new Device());
  }

  async exchange(packet) {
    const [, instruction, , flags] = packet;
    if (instruction === ADDRESS) return Buffer.concat([this.key.subarray(32), DONE]);
    if (instruction !== SIGNATURE) return UNKNOWN;
    this.asked = Buffer.concat([flags & GOES_ON ? this.asked : Buffer.alloc(0), packet.subarray(5)]);
    if (flags & MORE_FOLLOW) return DONE;
    // One key, its path in words of 4 bytes, and the transaction's message.
    const message = this.asked.subarray(2 + 4 * this.asked[1]);
    const key = createPrivateKey({
      key: Buffer.concat([PKCS8, this.key.subarray(0, 32)]),
      format: 'der',
      type: 'pkcs8',
    });
    return Buffer.concat([sign(null, message, key), DONE]);
  }
}

module.exports = { default: Device };

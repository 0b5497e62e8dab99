/** Texts of a websocket's frames from the side that masks them, however the bytes are cut. */
export class Frames {
  #bytes = Buffer.alloc(0);
  #isOpen = false;

  /** The texts that these bytes complete. */
  take(bytes: Buffer): string[] {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    const texts: string[] = [];
    if (!this.#isOpen) {
      const end = this.#bytes.indexOf('\r\n\r\n');
      if (end < 0) return texts;
      this.#isOpen = true;
      this.#bytes = this.#bytes.subarray(end + 4);
    }
    for (let text = this.#next(); text !== undefined; text = this.#next()) texts.push(text);
    return texts;
  }

  #next(): string | undefined {
    const bytes = this.#bytes;
    if (bytes.length < 2) return undefined;
    const short = (bytes[1] as number) & 127;
    const [extra, isLong] = short === 126 ? [2, false] : short === 127 ? [8, true] : [0, false];
    const maskAt = 2 + extra;
    if (bytes.length < maskAt + 4) return undefined;
    const length = extra === 0 ? short : isLong ? Number(bytes.readBigUInt64BE(2)) : bytes.readUInt16BE(2);
    const from = maskAt + 4;
    if (bytes.length < from + length) return undefined;
    const text = Buffer.from(bytes.subarray(from, from + length));
    for (let place = 0; place < length; place++) {
      text[place] = (text[place] as number) ^ (bytes[maskAt + (place & 3)] as number);
    }
    this.#bytes = bytes.subarray(from + length);
    return text.toString('utf8');
  }
}

/** A mint of Token-2022 has its extensions behind a token account's length and a byte for its kind. */
const EXTENSIONS = 166;

/** The bytes of a mint's extensions, by their types: each stands behind its type u16 and its length u16. Of a classic mint there are none. */
export function mintExtensions(data: Uint8Array): ReadonlyMap<number, Uint8Array> {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const found = new Map<number, Uint8Array>();
  for (let place = EXTENSIONS; place + 4 <= data.length; ) {
    const [type, length] = [view.getUint16(place, true), view.getUint16(place + 2, true)];
    if (type === 0) break;
    found.set(type, data.subarray(place + 4, place + 4 + length));
    place += 4 + length;
  }
  return found;
}

/** What stands for `png-js` where pages are bundled: it reads images, which no document of ours holds. */
export default function readImage(): never {
  throw new Error('Documents hold no images.');
}

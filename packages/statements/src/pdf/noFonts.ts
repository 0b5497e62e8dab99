/**
 * What stands for `fontkit` where pages are bundled: it reads font files, which no page of ours embeds, and is two thirds of what
 * a browser would load for a PDF.
 */
export function create(): never {
  throw new Error('Only the standard fonts are there.');
}

import { BOTTOM, FAINT, FONTS, INK, MARGIN, RIGHT } from './page.ts';

const WIDTH = RIGHT - MARGIN;

/** A column of a document's table. */
export type TableColumn = {
  readonly name: string;
  readonly width: number;
  readonly isNumber?: true;
  readonly font?: string;
};

/** Begins below the heading. */
export function startBody(page: PDFKit.PDFDocument): void {
  page.y = MARGIN + 66;
}

/** Goes on to another page unless there is room for so many points; true: it did. */
export function needRoom(page: PDFKit.PDFDocument, points: number): boolean {
  if (page.y + points <= BOTTOM) return false;
  page.addPage();
  return true;
}

export function title(page: PDFKit.PDFDocument, text: string): void {
  needRoom(page, 60);
  page.moveDown(0.8);
  page.font(FONTS.bold).fontSize(11).fillColor(INK).text(text, MARGIN, page.y, { width: WIDTH });
  page.moveDown(0.4);
}

export function paragraph(page: PDFKit.PDFDocument, text: string, colour = INK): void {
  page.font(FONTS.plain).fontSize(9).fillColor(colour);
  needRoom(page, page.heightOfString(text, { width: WIDTH }));
  page.text(text, MARGIN, page.y, { width: WIDTH, lineGap: 1 });
  page.moveDown(0.3);
}

export function writeRow(
  page: PDFKit.PDFDocument,
  columns: readonly TableColumn[],
  cells: readonly string[],
  isHead: boolean,
): void {
  const y = page.y;
  let x = MARGIN;
  for (const [place, { width, isNumber, font = FONTS.plain }] of columns.entries()) {
    page
      .font(isHead ? FONTS.bold : font)
      .fontSize(8)
      .fillColor(isHead ? FAINT : INK);
    page.text(cells[place] ?? '', x, y, { width: width - 8, align: isNumber ? 'right' : 'left', lineBreak: false });
    x += width;
  }
  page.x = MARGIN;
  page.y = y + 13;
}

import PDFDocument, * as pdfkit from 'pdfkit';
import Courier from 'pdfkit/standard-fonts/Courier';
import Helvetica from 'pdfkit/standard-fonts/Helvetica';
import HelveticaBold from 'pdfkit/standard-fonts/HelveticaBold';

/** What the browser's build has beside the types, which are those of Node's. */
type BrowserBuild = { readonly registerStdFonts: (...fonts: readonly unknown[]) => void };

// Node's build finds the widths of these fonts by itself, a browser's is given those that pages are set in.
(pdfkit as unknown as BrowserBuild).registerStdFonts(Courier, Helvetica, HelveticaBold);

export { PDFDocument };

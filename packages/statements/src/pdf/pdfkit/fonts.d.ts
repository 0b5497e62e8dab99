declare module 'pdfkit/standard-fonts/*' {
  const font: unknown;
  export default font;
}

/** Has the browser save a file; its name says nothing private. */
export function saveFile(name: string, content: BlobPart, type = ''): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

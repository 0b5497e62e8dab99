/** A moment in unix milliseconds as people read it: "2026-12-31 14:00 UTC"; with seconds where it has any. */
export function timeText(at: number): string {
  const [day = '', time = ''] = new Date(at).toISOString().split('T');
  return `${day} ${time.slice(0, time.startsWith('00', 6) ? 5 : 8)} UTC`;
}

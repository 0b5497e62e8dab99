/** A moment in unix seconds as people read it: "2026-12-31 14:00 UTC"; with seconds where it has any. */
export function timeText(at: bigint): string {
  const [day = '', time = ''] = new Date(Number(at) * 1_000).toISOString().split('T');
  return `${day} ${time.slice(0, time.startsWith('00', 6) ? 5 : 8)} UTC`;
}

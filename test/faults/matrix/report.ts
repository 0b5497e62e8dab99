import { type Case, KILLS, POINTS } from './cases.ts';
import { isFine, type Result } from './round.ts';

/** How a case is played by itself. */
const commandOf = ({ seed, point, kill }: Case): string =>
  `npm run faults -- --seed ${seed} --only ${point} --kill ${kill}`;

/** What went wrong in a case, and how to see it again; `logs` is the folder where they were kept. */
export function explain({ case: at, double, lost, problems }: Result, logs: string): string {
  return [
    `✖ ${at.point} × ${at.kill}, seed ${at.seed}: ${double} paid twice, ${lost} not paid`,
    ...problems.map((problem) => `    ${problem}`),
    `    again, alone: ${commandOf(at)}`,
    `    logs: ${logs}`,
  ].join('\n');
}

/** Points down, deaths across: how many cases are fine, and the mean of their seconds from the death to the end of their runs. */
export function tableOf(results: readonly Result[]): string {
  const kills = KILLS.filter((kill) => results.some((result) => result.case.kill === kill));
  const points = POINTS.filter((point) => results.some((result) => result.case.point === point));
  const cell = (of: readonly Result[]): string => {
    if (of.length === 0) return '-';
    const fine = of.filter(isFine).length;
    const seconds = of.reduce((sum, result) => sum + result.seconds, 0) / of.length;
    return `${fine === of.length ? 'ok' : 'FAILED'} ${fine}/${of.length} ${seconds.toFixed(1)} s`;
  };
  const rows = [
    ['', ...kills],
    ...points.map((point) => [
      point,
      ...kills.map((kill) =>
        cell(results.filter((result) => result.case.kill === kill && result.case.point === point)),
      ),
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) => row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** The last line: what the whole came to. */
export function summaryOf(results: readonly Result[]): string {
  const double = results.reduce((sum, result) => sum + result.double, 0);
  const lost = results.reduce((sum, result) => sum + result.lost, 0);
  return `${results.length} cases, ${double} double, ${lost} lost`;
}

import type { Goal } from '../runner/measure.ts';

/** Three digits that count, or all before the point. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const places = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString('en', { maximumFractionDigits: Math.min(places, 6) });
}

const withUnit = (value: number, unit: string): string => (unit === '' ? digits(value) : `${digits(value)} ${unit}`);

/** A goal in words: `≤ 1.5×`, `≥ 80 %`. */
export function goalText(goal: Goal | undefined, unit: string): string {
  if (goal === undefined) return '';
  const [sign, value] = goal.most === undefined ? ['≥', goal.least ?? 0] : ['≤', goal.most];
  return goal.of === 'ratio' ? `${sign} ${digits(value)}×` : `${sign} ${withUnit(value, unit)}`;
}

export { withUnit };

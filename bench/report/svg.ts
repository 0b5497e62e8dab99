import type { Axis, Plot } from '../runner/measure.ts';
import { digits } from './format.ts';

const [WIDTH, HEIGHT] = [760, 380];
const FRAME = { left: 80, right: 24, top: 48, bottom: 56 } as const;
/** Told apart by those who see no red and green, too. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'] as const;
const STEPS = [1, 2, 5, 10] as const;
const TICKS = 6;

/** From a value to its place between 0 and 1, and where the axis has marks. */
type Scale = { readonly place: (value: number) => number; readonly ticks: readonly number[] };

function linear(values: readonly number[]): Scale {
  const most = Math.max(...values, 0);
  const rough = (most || 1) / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * (STEPS.find((each) => each * power >= rough) as number);
  const end = Math.ceil((most || 1) / step);
  return { place: (value) => value / (end * step), ticks: Array.from({ length: end + 1 }, (_, mark) => mark * step) };
}

function logarithmic(values: readonly number[]): Scale {
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => Math.log10(value)) as [
    number,
    number,
  ];
  const [from, to] = [Math.floor(least), Math.max(Math.ceil(most), Math.floor(least) + 1)];
  return {
    place: (value) => (Math.log10(value) - from) / (to - from),
    ticks: Array.from({ length: to - from + 1 }, (_, mark) => 10 ** (from + mark)),
  };
}

function scaleOf({ isLogarithmic = false }: Axis, values: readonly number[]): Scale {
  const drawn = isLogarithmic ? values.filter((value) => value > 0) : values;
  return isLogarithmic && drawn.length > 0 ? logarithmic(drawn) : linear(drawn);
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const text = (x: number, y: number, content: string, anchor = 'middle', more = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" ${more}>${escaped(content)}</text>`;

/** A plot as a picture that needs nothing else, on white, so that it can be read on any page. */
export function svgOf({ title, x, y, lines }: Plot): string {
  const points = lines.flatMap((line) => line.points);
  const [across, up] = [
    scaleOf(
      x,
      points.map(([value]) => value),
    ),
    scaleOf(
      y,
      points.map(([, value]) => value),
    ),
  ];
  const left = (value: number) => FRAME.left + across.place(value) * (WIDTH - FRAME.left - FRAME.right);
  const top = (value: number) => HEIGHT - FRAME.bottom - up.place(value) * (HEIGHT - FRAME.top - FRAME.bottom);
  const isDrawn = ([px, py]: readonly [number, number]) => (px > 0 || !x.isLogarithmic) && (py > 0 || !y.isLogarithmic);
  const [bottom, right] = [HEIGHT - FRAME.bottom, WIDTH - FRAME.right];
  const marks = [
    ...up.ticks.flatMap((value) => [
      `<path d="M${FRAME.left} ${top(value).toFixed(1)}H${right}" stroke="#ddd"/>`,
      text(FRAME.left - 8, top(value) + 4, digits(value), 'end'),
    ]),
    ...across.ticks.flatMap((value) => [
      `<path d="M${left(value).toFixed(1)} ${bottom}v5" stroke="#666"/>`,
      text(left(value), bottom + 20, digits(value)),
    ]),
  ];
  const drawn = lines.flatMap((line, place) => {
    const colour = COLOURS[place % COLOURS.length];
    const shown = line.points.filter(isDrawn).map(([px, py]) => [left(px).toFixed(1), top(py).toFixed(1)] as const);
    const dots =
      shown.length > 40 ? [] : shown.map(([px, py]) => `<circle cx="${px}" cy="${py}" r="3" fill="${colour}"/>`);
    return [
      `<polyline points="${shown.map((pair) => pair.join(',')).join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...dots,
      `<path d="M${FRAME.left + place * 165} 36h14" stroke="${colour}" stroke-width="3"/>`,
      text(FRAME.left + place * 165 + 20, 40, line.name, 'start'),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="#333">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    text(FRAME.left, 20, title, 'start', 'font-size="15"'),
    ...marks,
    `<path d="M${FRAME.left} ${FRAME.top}V${bottom}H${right}" fill="none" stroke="#666"/>`,
    ...drawn,
    text((FRAME.left + right) / 2, HEIGHT - 14, x.label),
    text(18, (FRAME.top + bottom) / 2, y.label, 'middle', `transform="rotate(-90 18 ${(FRAME.top + bottom) / 2})"`),
    '</svg>\n',
  ].join('\n');
}

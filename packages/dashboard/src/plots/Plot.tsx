import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { durationText } from '@payouts/pages/format/time';
import { isDark } from '@payouts/pages/parts/theme';
import type { Chart } from './charts.ts';

const HEIGHT = 150;

/** Draws a chart in the theme's colours, as wide as its place. */
export function Plot({ chart }: { readonly chart: Chart }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const dark = isDark.value;
  const shape = `${chart.kind} ${chart.stepMs} ${dark}`;
  const data = [chart.at, ...chart.lines.map(({ values }) => values)] as uPlot.AlignedData;

  // New data goes into the plot that is there.
  useEffect(() => {
    const parent = place.current;
    if (parent === null) return;
    const drawn = new uPlot(optionsOf(chart, parent), data, parent);
    plot.current = drawn;
    const observer = new ResizeObserver(() => drawn.setSize({ width: parent.clientWidth, height: HEIGHT }));
    observer.observe(parent);
    return () => {
      observer.disconnect();
      drawn.destroy();
    };
  }, [shape]);
  useEffect(() => {
    plot.current?.setData(data);
  }, [chart]);
  return <div class="plot" ref={place} role="img" aria-label={`${chart.title}. ${chart.summary}`} />;
}

function optionsOf(chart: Chart, parent: HTMLElement): uPlot.Options {
  // A canvas can't choose by the theme: it takes a colour as it comes out where it is drawn.
  const colour = (name: string) => {
    parent.style.color = `var(--${name})`;
    return getComputedStyle(parent).color;
  };
  const axis = { stroke: colour('faint'), font: '11px Inter, system-ui, sans-serif', ticks: { show: false } };
  const value = (amount: number) => (chart.unit === 'ms' ? durationText(amount) : amount.toLocaleString('en'));
  const bars = uPlot.paths.bars?.({ size: [0.7, 24], radius: 0.2, align: 1 });
  return {
    width: parent.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_, __, most) => [0, Math.max(most * 1.1, chart.unit === 'ms' ? 100 : 1)] } },
    axes: [
      { ...axis, grid: { show: false }, size: 24, space: 70, values: timesOf(chart.stepMs) },
      {
        ...axis,
        grid: { stroke: colour('line'), width: 1 },
        size: 54,
        space: 32,
        // Half a window is none.
        incrs:
          chart.unit === 'count'
            ? [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 50_000]
            : undefined,
        values: (_, marks) => marks.map(value),
      } as uPlot.Axis,
    ],
    series: [
      {},
      ...chart.lines.map(({ name, colour: line }) => ({
        label: name,
        stroke: colour(line),
        width: chart.kind === 'bars' ? 0 : 1.75,
        points: { show: chart.kind === 'lines', size: 4, fill: colour(line) },
        spanGaps: true,
        ...(chart.kind === 'bars' ? { fill: colour(line), ...(bars === undefined ? {} : { paths: bars }) } : {}),
      })),
    ],
  };
}

const DAY_STEP_MS = 3_600_000;
const timeOfDay = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

const timesOf = (stepMs: number) => (_: uPlot, marks: number[]) =>
  marks.map((mark) => (stepMs >= DAY_STEP_MS ? day : timeOfDay).format(mark * 1_000));

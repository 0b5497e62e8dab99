import { useState } from 'preact/hooks';
import { read } from '../api/request.ts';
import { useResource } from '../api/resource.ts';
import { RANGES, type Range, type Series } from '../api/types.ts';
import { Loaded } from '../parts/Trouble.tsx';
import { type Chart, errorsOf, latencyOf, throughputOf } from './charts.ts';
import { Plot } from './Plot.tsx';

const RANGE_WORDS: Readonly<Record<Range, string>> = { '1h': 'Hour', '24h': 'Day', '7d': 'Week' };

/** Throughput, latency and errors of the last hour, day or week. */
export function Charts() {
  const [range, setRange] = useState<Range>('1h');
  const series = useResource(`series ${range}`, (abort) => read<Series>(`/api/series?range=${range}`, abort), {
    every: 30_000,
  });
  return (
    <section aria-labelledby="charts">
      <div class="row between">
        <h2 id="charts">Over time</h2>
        <fieldset class="segments">
          <legend class="hidden">Range of the plots</legend>
          {RANGES.map((each) => (
            <label key={each}>
              <input type="radio" name="range" value={each} checked={range === each} onChange={() => setRange(each)} />
              <span>{RANGE_WORDS[each]}</span>
            </label>
          ))}
        </fieldset>
      </div>
      <Loaded of={series} what="the plots">
        {(data) => (
          <div class="charts">
            {[throughputOf(data), latencyOf(data), errorsOf(data)].map((chart) => (
              <Figure key={chart.title} chart={chart} />
            ))}
          </div>
        )}
      </Loaded>
    </section>
  );
}

const Figure = ({ chart }: { readonly chart: Chart }) => (
  <figure class="chart">
    <figcaption>
      <h3>{chart.title}</h3>
      <p>{chart.summary}</p>
      <ul class="legend">
        {chart.lines.map(({ name, colour }) => (
          <li key={name} class={colour}>
            {name}
          </li>
        ))}
      </ul>
    </figcaption>
    <Plot chart={chart} />
  </figure>
);

import { type Remote, releaseProxy, wrap } from 'comlink';
import { useEffect, useState } from 'preact/hooks';
import type { PayrollDesk } from './payrollDesk.ts';

/** A desk in a thread of its own, as the page speaks to it. */
export type RemoteDesk = Remote<PayrollDesk>;

/** A desk for as long as a view is shown: whatever was opened there is forgotten with it. */
export function useDesk(): RemoteDesk | undefined {
  const [desk, setDesk] = useState<RemoteDesk>();
  useEffect(() => {
    const worker = new Worker(new URL('./payrollWorker.ts', import.meta.url), { type: 'module' });
    const remote = wrap<PayrollDesk>(worker);
    setDesk(() => remote);
    return () => {
      remote[releaseProxy]();
      worker.terminate();
    };
  }, []);
  return desk;
}

import { FileDrop } from '@payouts/pages/parts/FileDrop';
import { Notice } from '@payouts/pages/parts/Notice';
import { EVIDENCE_FILE, evidenceFromJson, jsonIn, verifyEvidence } from '@payouts/statements';
import { useState } from 'preact/hooks';
import type { Made } from './make.ts';
import { StatementView } from './StatementView.tsx';

/** Verifies a statement that was made before, by what its file holds alone: nothing is asked of anybody. */
export function VerifyAgain() {
  const [made, setMade] = useState<Made>();
  const [wrong, setWrong] = useState('');
  const open = async (file: File) => {
    setMade(undefined);
    setWrong('');
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      const evidence = evidenceFromJson(jsonIn(bytes, EVIDENCE_FILE));
      setMade({ evidence, statement: await verifyEvidence(evidence) });
    } catch (error) {
      setWrong(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <section aria-labelledby="verify-again">
      <h2 id="verify-again">Verify a statement that was made before</h2>
      <p class="faint">Its PDF holds all proofs. It is read in this tab and sent nowhere.</p>
      <FileDrop label={`Open the statement (PDF or ${EVIDENCE_FILE})`} accept=".pdf,.json" onFile={open} />
      {wrong !== '' && <Notice kind="bad" title={wrong} />}
      {made !== undefined && <StatementView made={made} />}
    </section>
  );
}

import { expect, it } from 'vitest';
import { bashScript, zshScript } from '../src/payout/completion/bash.ts';
import { fishScript } from '../src/payout/completion/fish.ts';
import { placesOf } from '../src/payout/completion/tree.ts';
import { payoutProgram } from '../src/payout/program.ts';

const places = placesOf(payoutProgram());

it('the scripts that complete commands know every command, every option of it and what may follow', () => {
  expect(places.length).toBeGreaterThan(40);
  const bash = bashScript('payout', places);
  const fish = fishScript('payout', places).split('\n');
  for (const { path, commands, flags } of places) {
    // Each place has its own case, with all that its help names.
    const offered = bash.split('\n').find((line) => line.includes(`'${path}'`) && line.includes('if [[ $cur '));
    for (const { name } of [...commands, ...flags]) expect(offered?.split(/[ ']+/), `${path} ${name}`).toContain(name);
    const here = fish.filter((line) => line.includes(`(__payout_at) = "${path}"'`)).join('\n');
    for (const { name } of commands) expect(here).toContain(` -a ${name} `);
    for (const { name, follows } of flags) {
      expect(here).toContain(` -l ${name.slice(2)} `);
      for (const value of follows?.values ?? []) expect(bash).toContain(value);
    }
  }
  expect(zshScript('payout', places)).toContain(bash);
});

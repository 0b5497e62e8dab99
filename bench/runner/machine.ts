import { cpus, totalmem } from 'node:os';

/** Where figures were measured. */
export type Machine = {
  readonly cores: number;
  readonly model: string;
  readonly memoryGb: number;
  readonly node: string;
};

export function machine(): Machine {
  return {
    cores: cpus().length,
    model: cpus()[0]?.model ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
}

export const machineText = ({ cores, model, memoryGb, node }: Machine): string =>
  `${cores} cores (${model}), ${memoryGb} GB of memory, Node ${node}`;

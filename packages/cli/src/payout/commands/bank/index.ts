import type { Command } from 'commander';
import { addMonths } from './months.ts';
import { addOrder } from './order.ts';
import { addRunFiles } from './runs.ts';

/** payout bank pain001|pain002|camt054|camt053|journal|statement */
export function addBank(program: Command): void {
  const bank = program
    .command('bank')
    .description('Files for your books: payment orders, reports and statements (ISO 20022), journals');
  addOrder(bank);
  addRunFiles(bank);
  addMonths(bank);
}

import { expose } from 'comlink';
import { PayrollDesk } from './payrollDesk.ts';

expose(new PayrollDesk());

import { expose } from 'comlink';
import { payslipArchive } from './payslipArchive.ts';

expose(payslipArchive);

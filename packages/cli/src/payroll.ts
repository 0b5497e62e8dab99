export * from './payroll/amount.ts';
export * from './payroll/compare.ts';
export * from './payroll/line.ts';
export * from './payroll/problems.ts';
export * from './payroll/read.ts';
export * from './payroll/write.ts';

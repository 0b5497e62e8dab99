export { databasesOf, rowsOf } from './databases.ts';
export { type Postgres, startPostgres } from './postgres.ts';
export { chromiumProgram, ServiceMissing } from './programs.ts';
export { startTransit, type Transit } from './transit.ts';
export { startValkey, type Valkey } from './valkey.ts';

export { freePorts } from '@payouts/localnet';

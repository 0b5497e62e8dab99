// Loaded before a program that must not use a network: whatever would reach for one throws, and ends the process with 99.
import dgram from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';
import tls from 'node:tls';

const refuse = () => {
  process.stderr.write('the network was asked for\n');
  process.exit(99);
};
net.Socket.prototype.connect = refuse;
for (const [module, names] of [
  [net, ['connect', 'createConnection']],
  [tls, ['connect']],
  [dns, ['lookup', 'resolve', 'resolve4', 'resolve6']],
  [dns.promises, ['lookup', 'resolve', 'resolve4', 'resolve6']],
  [dgram, ['createSocket']],
]) {
  for (const name of names) module[name] = refuse;
}
globalThis.fetch = refuse;

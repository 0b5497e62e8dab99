import { createServer } from 'node:http';
import { verifyWebhook, type WebhookEvent } from '@payouts/client';

const seen = new Set<string>();

createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  let event: WebhookEvent;
  try {
    const secret = process.env.WEBHOOK_SECRET ?? '';
    event = verifyWebhook({ body: Buffer.concat(chunks), headers: request.headers, secret });
  } catch {
    response.writeHead(400).end();
    return;
  }
  response.writeHead(204).end();
  if (seen.has(event.id)) return;
  seen.add(event.id);
  if (event.type === 'run.held') console.log(`window ${event.data.window} is held: ${event.data.errorCode}`);
  if (event.type === 'run.completed') console.log(`window ${event.data.window} paid ${event.data.claims.paid}`);
}).listen(Number(process.env.PORT ?? 9000));

import { CONDITIONS } from '../../domain/conditions.ts';
import { DELIVERY_OUTCOMES } from '../../domain/webhook.ts';
import { ANY, type Define } from './define.ts';

/** Of webhooks, and of what they tell that lasts. */
export const webhookMetrics = (define: Define) => ({
  webhookDeliveries: define.counter(
    'webhook_deliveries_total',
    'Tries to deliver a message to a webhook or a person, by what they came to',
    { outcome: DELIVERY_OUTCOMES },
  ),
  webhooksPending: define.gauge(
    'webhook_pending',
    'Messages that wait to be delivered to a webhook or a person, for the first time or again',
  ),
  webhookOldestSeconds: define.gauge(
    'webhook_oldest_seconds',
    'How long the message that is overdue the longest should have been sent already; 0 if none is',
  ),
  conditions: define.gauge(
    'conditions',
    'Schedules whose money ends, windows that are late, and tokens whose withdrawals are stuck',
    { kind: CONDITIONS },
  ),
  webhookEndpoints: define.gauge(
    'webhook_endpoints',
    'Registered webhooks and notices: active, failing (nothing delivered since a failure), or disabled',
    { state: ANY },
  ),
});

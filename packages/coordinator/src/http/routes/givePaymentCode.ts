import { paymentCodeOf, secureRandomBelow } from '@payouts/client';
import type { Address } from '@solana/kit';
import { PaymentCodes } from '../../balances/paymentCodes.ts';
import { Problem } from '../../domain/problems.ts';
import { BODY_CODES, json, LIMIT_FIELDS, readProblems, SIGNATURE_CODES } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import { notTheirs, type OwnInput, ownerOf } from '../recipients/own.ts';
import { OwnParams, PAYMENT_CODE_EXAMPLE, PaymentCodeBody, PaymentCodeView } from '../recipients/schemas.ts';
import { SIGNED } from '../scheduleRequest.ts';

const schema = {
  ...SIGNED,
  operationId: 'givePaymentCode',
  tags: ['recipients'],
  summary: "A recipient's payment code of a token",
  description:
    'By it anybody who is paid by the same coordinator pays them inside the execution layer, and can tell neither whose it is nor what belongs ' +
    'to it. The same code each time; its balance is given a place when it is first asked for. Signed by that recipient, who is paid in that ' +
    'token; the signature also covers `content-digest`.',
  params: OwnParams,
  body: PaymentCodeBody,
  response: {
    ...readProblems(
      ...BODY_CODES,
      ...SIGNATURE_CODES,
      ...(['invalid-query', 'invalid-address', 'not-permitted', 'no-room-yet'] as const),
      ...(['layer-unavailable', 'key-service-unavailable'] as const),
    ),
    200: json('Their payment code', PaymentCodeView, PAYMENT_CODE_EXAMPLE, LIMIT_FIELDS),
  },
};

/** POST /api/recipients/:address/payment-codes */
export function givePaymentCodeRoute(app: Api, input: OwnInput): void {
  const codes = new PaymentCodes(input);
  const path = '/api/recipients/:address/payment-codes';
  app.post(path, { schema, config: { limit: 'private', session: true } }, async (request, reply) => {
    const recipient = await ownerOf(request, reply, input);
    const mint = request.body.mint as Address;
    const entries = await input.recipients.entriesOf(recipient);
    if (!entries.some((each) => each.mint === mint)) throw notTheirs();
    const given = await codes.give(mint, recipient, secureRandomBelow);
    if (given === undefined) {
      throw new Problem(
        'no-room-yet',
        'There is room for a payment code after the next pay run in this token: ask again then.',
      );
    }
    return { mint, paymentCode: paymentCodeOf(given.owner), salt: Buffer.from(given.salt).toString('hex') };
  });
}

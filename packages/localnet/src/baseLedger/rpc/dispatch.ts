import { LocalnetError } from '../../errors.ts';
import { isObject, type Json, stringifyJson } from '../json.ts';
import { TooManyCalls } from '../publicNode.ts';
import { accountMethods } from './accountMethods.ts';
import { ADMIN_PREFIX, adminMethods } from './adminMethods.ts';
import { clusterMethods } from './clusterMethods.ts';
import { type RpcCall, type RpcContext, type RpcMethod, viewAt } from './context.ts';
import { historyMethods } from './historyMethods.ts';
import { RPC_CODE, RpcError } from './rpcError.ts';
import { submissionMethods } from './submissionMethods.ts';
import { tokenMethods } from './tokenMethods.ts';

const METHODS: ReadonlyMap<string, RpcMethod> = new Map(
  Object.entries({
    ...clusterMethods,
    ...accountMethods,
    ...tokenMethods,
    ...submissionMethods,
    ...historyMethods,
    ...adminMethods,
  }),
);

/** Who calls. */
export interface Caller {
  /** By which a public node counts calls. */
  readonly address: string;
  /** The browser named an origin: admin methods are refused. */
  readonly isWebPage: boolean;
  /** Served by an own node, and not by public ones. */
  readonly isOnOwnNode: boolean;
}

/** Answers an HTTP body: one request or a batch. Throws `TooManyCalls`. */
export async function answerBody(context: RpcContext, body: string, caller: Caller): Promise<string> {
  let request: unknown;
  try {
    request = JSON.parse(body);
  } catch {
    return stringifyJson(failure(null, new RpcError(RPC_CODE.parseError, 'Parse error')));
  }
  if (!Array.isArray(request)) return stringifyJson(await answer(context, request, caller));
  if (request.length === 0) {
    return stringifyJson(failure(null, new RpcError(RPC_CODE.invalidRequest, 'Invalid request')));
  }
  const answers: Json[] = [];
  // One after the other: a batch's later requests see what the earlier ones did.
  for (const item of request) answers.push(await answer(context, item, caller));
  return stringifyJson(answers);
}

async function answer(context: RpcContext, request: unknown, caller: Caller): Promise<Json> {
  if (!isObject(request) || typeof request.method !== 'string') {
    return failure(null, new RpcError(RPC_CODE.invalidRequest, 'Invalid request'));
  }
  const id = requestId(request.id);
  const params = request.params ?? [];
  try {
    const method = METHODS.get(request.method);
    const isAdmin = request.method.startsWith(ADMIN_PREFIX);
    if (method === undefined || (caller.isWebPage && isAdmin)) {
      throw new RpcError(RPC_CODE.methodNotFound, 'Method not found');
    }
    const isPublic = !isAdmin && !caller.isOnOwnNode;
    if (isPublic) context.cluster.node.check(caller.address, request.method, searchesHistory(params));
    if (!Array.isArray(params)) throw new RpcError(RPC_CODE.invalidParams, 'Invalid params: expected a list');
    const call = { ...context, isPublic, behindMs: isPublic ? context.cluster.nextBehindMs('call') : 0 };
    refuseFutureSlot(call, params);
    return { jsonrpc: '2.0', result: await method(call, params), id };
  } catch (error) {
    if (error instanceof TooManyCalls) throw error;
    if (error instanceof LocalnetError) context.fail(error);
    return failure(id, error);
  }
}

/** Clients that saw a later slot elsewhere ask not to be answered from an older one. */
function refuseFutureSlot(call: RpcCall, params: readonly unknown[]): void {
  for (const param of params) {
    const slot = isObject(param) ? param.minContextSlot : undefined;
    if (!isObject(param) || typeof slot !== 'number') continue;
    const reached = viewAt(call, param.commitment ?? param.preflightCommitment).slot;
    if (slot > reached) {
      throw new RpcError(RPC_CODE.minContextSlotNotReached, 'Minimum context slot has not been reached', {
        contextSlot: reached,
      });
    }
  }
}

const searchesHistory = (params: unknown): boolean =>
  Array.isArray(params) && params.some((param) => isObject(param) && param.searchTransactionHistory === true);

function requestId(id: unknown): Json {
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** An error answer. */
export function failure(id: Json, error: unknown): Json {
  if (error instanceof RpcError) {
    return { jsonrpc: '2.0', error: { code: error.code, message: error.message, data: error.data }, id };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { jsonrpc: '2.0', error: { code: RPC_CODE.internalError, message }, id };
}

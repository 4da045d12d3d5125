import { currentLanguage } from '@/i18n/language'
import { textsOf } from '@/i18n/messages'
import { words } from '@/i18n/words'
import { addressOf, type RequestParts } from './address'
import { takeEarlyAnswer } from './early-answers'
import { bodyStatus, type Envelope, isSuccess, judgeBody, judgeHttp, type Verdict } from './errors'
import { ApiFailure, isApiFailure } from './failure'
import { fileNameOf } from './file-name'
import { notify } from './notices'
import { noteOutage, saysOutage } from './outage'
import { sessionPort } from './session-port'

export interface RequestOptions {
  /** No notification on failure: the caller shows the error itself. It may depend on the moment of the failure. */
  suppressNotice?: boolean | (() => boolean)
  /** The call is made again while there is no console to answer: nothing is said of each try. */
  waitsOutOutages?: boolean
  signal?: AbortSignal
}

/** A file that the server sent, with the name it gave. */
export interface ApiFile {
  name: string
  blob: Blob
}

/** A good answer: the body's data and its success flag, or a file. */
export interface Answer {
  data: unknown
  success: boolean | undefined
  file?: ApiFile
}

/** The headers that every request carries. */
export function commonHeaders(): Record<string, string> {
  const token = sessionPort().token()
  return {
    'Accept-Language': currentLanguage(),
    ...(token === undefined ? {} : { Authorization: token }),
  }
}

function bodyOf(body: unknown): { body?: BodyInit; headers: Record<string, string> } {
  if (body === undefined) return { headers: {} }
  if (body instanceof FormData || body instanceof Blob) return { body, headers: {} }
  return { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }
}

function parseEnvelope(text: string): Envelope | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Envelope) : undefined
  } catch {
    return undefined
  }
}

/** Tells the person, sets the consequence in motion and gives the error to throw. */
export function refuse(verdict: Verdict, httpStatus: number, options: RequestOptions, sentToken?: string): ApiFailure {
  const failure = new ApiFailure({ ...verdict, httpStatus })
  const session = sessionPort()
  if (verdict.consequence === 'changePassword') {
    session.changePassword()
    return failure
  }
  // Whoever sent it asks for the proof; a person who cancels that knows why nothing has happened.
  if (verdict.consequence === 'proveAgain') return failure
  // An answer to a replaced token says nothing about the current session.
  const endsSession = verdict.consequence === 'endSession' && sentToken !== undefined && sentToken === session.token()
  if (endsSession) {
    session.ended(verdict)
    return failure
  }
  const { suppressNotice } = options
  const isOutage = saysOutage(httpStatus)
  if (isOutage) noteOutage()
  const isQuiet = typeof suppressNotice === 'function' ? suppressNotice() : suppressNotice
  if (!isQuiet && !(isOutage && options.waitsOutOutages))
    notify({ tone: 'warn', title: textsOf(words).failed, text: verdict.msg })
  if (verdict.consequence === 'openLicence') session.openLicence()
  return failure
}

/** Judges one answer. Shared by `request` and by uploads, which need another transport for their progress. */
export async function readAnswer(
  answer: { httpStatus: number; contentType: string; disposition: string | null; blob: Blob },
  options: RequestOptions,
  sentToken: string | undefined,
): Promise<Answer> {
  const { httpStatus, blob } = answer
  const good = httpStatus >= 200 && httpStatus < 300
  if (answer.contentType.includes('json') || !good) {
    const body = parseEnvelope(await blob.text())
    if (good && body && isSuccess(body)) return { data: body.data, success: body.success }
    if (good && body) throw refuse(judgeBody(body, httpStatus), httpStatus, options, sentToken)
    throw refuse(judgeHttp(httpStatus, body ?? {}), httpStatus, options, sentToken)
  }
  return { data: undefined, success: true, file: { name: fileNameOf(answer.disposition), blob } }
}

/**
 * Sends a request. When the server requires the identity to be confirmed (4011), the person is asked and the same
 * request is sent once more: the server refuses before it reads a body, so that nothing in it is consumed.
 */
export async function withProof<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (!isApiFailure(error, bodyStatus.proveAgain)) throw error
    const withCode = error.errors.some(({ field }) => field === 'code')
    if (!(await sessionPort().proveAgain({ withCode }))) throw error
    return send()
  }
}

/** Sends one request. Failures without an answer (no network, aborted) are rethrown unchanged. */
export function request(
  method: string,
  template: string,
  parts: RequestParts = {},
  options: RequestOptions = {},
): Promise<Answer> {
  return withProof(() => send(method, template, parts, options))
}

/** The answer to the same request, where the script in the page has asked already. */
function earlyAnswer(
  method: string,
  address: string,
  body: BodyInit | undefined,
  { headers }: RequestParts,
  ask: () => Promise<Response>,
): Promise<Response> | undefined {
  const { Authorization: token, 'Accept-Language': language = '' } = commonHeaders()
  if (token === undefined || headers || (body !== undefined && typeof body !== 'string')) return undefined
  return takeEarlyAnswer({ method: method.toUpperCase(), address, language, token, body: body ?? '' }, ask)
}

async function send(method: string, template: string, parts: RequestParts, options: RequestOptions): Promise<Answer> {
  const { body, headers } = bodyOf(parts.body)
  const common = commonHeaders()
  const address = addressOf(template, parts)
  const ask = () =>
    fetch(address, {
      method: method.toUpperCase(),
      headers: { ...common, ...headers, ...parts.headers },
      credentials: 'same-origin',
      ...(body === undefined ? {} : { body }),
      ...(options.signal ? { signal: options.signal } : {}),
    })
  const response = await (earlyAnswer(method, address, body, parts, ask) ?? ask()).catch((lost: unknown) => {
    if (!options.signal?.aborted) noteOutage()
    throw lost
  })
  return readAnswer(
    {
      httpStatus: response.status,
      contentType: response.headers.get('content-type') ?? '',
      disposition: response.headers.get('content-disposition'),
      blob: await response.blob(),
    },
    options,
    common.Authorization,
  )
}

import { defineMessages, textsOf } from '@/i18n/messages'
import type { FieldError } from './failure'

/** Body statuses with a meaning of their own. Everything else nonzero is a plain failure. */
export const bodyStatus = {
  ok: 0,
  trialOver: 3,
  invalid: 4000,
  noPermission: 4003,
  notFound: 4004,
  conflict: 4009,
  passwordMustChange: 4010,
  proveAgain: 4011,
  tooManyRequests: 4029,
  unavailable: 5003,
  displaced: 6013,
  expired: 6014,
  disabled: 6403,
} as const

/** The texts of the catalogue, in the words of the specification. */
export const errorTexts = defineMessages({
  trialOver: ['试用时间已到，请前往授权激活界面', 'The trial time is up. Please go to the licence activation page'],
  displaced: ['设备已在别处登录', 'Login information has expired'],
  displacedHttp: ['设备已在别处登录', 'The device has been logged on elsewhere'],
  expired: ['登录信息已过期，请重新登录', 'Login information has expired, please log in again'],
  expiredHttp: ['登录信息已过期', 'Login information has expired'],
  noAuthority: ['权限不足', 'Insufficient authority'],
  serverDown: ['服务器无法连通', 'Server error'],
  unknown: ['未知错误', 'Unknown error'],
  unknownServer: ['未知服务器错误', 'Unknown server error'],
  loginFail: ['登录失败', 'LogIn fail'],
  network: ['网络连接失败，请检查网络后重试', 'The server cannot be reached. Check the network and try again'],
})

/** The consequence besides the message. */
export type Consequence = 'none' | 'endSession' | 'openLicence' | 'changePassword' | 'proveAgain'

/** One failed answer, judged. */
export interface Verdict {
  status: number
  msg: string
  consequence: Consequence
  errors: readonly FieldError[]
}

/** The parts of a body that decide. Every part may be missing: proxies answer too. */
export interface Envelope {
  status?: number
  code?: number
  msg?: string
  data?: unknown
  success?: boolean
  errors?: FieldError[]
}

/** Success is body status 0 or, when the body has no status, code 200. */
export function isSuccess(body: Envelope): boolean {
  return body.status === undefined || body.status === null ? body.code === 200 : body.status === bodyStatus.ok
}

function bodyMessage(body: Envelope, fallback: string): string {
  if (typeof body.msg === 'string' && body.msg !== '') return body.msg
  if (typeof body.data === 'string' && body.data !== '') return body.data
  return fallback
}

const judged = (status: number, msg: string, consequence: Consequence, body: Envelope): Verdict => ({
  status,
  msg,
  consequence,
  errors: body.errors ?? [],
})

/** Judges a body status. Undefined when the status has no meaning of its own. */
function judgeBodyStatus(body: Envelope): Verdict | undefined {
  const texts = textsOf(errorTexts)
  switch (body.status) {
    case bodyStatus.trialOver:
      return judged(bodyStatus.trialOver, texts.trialOver, 'openLicence', body)
    case bodyStatus.displaced:
      return judged(bodyStatus.displaced, texts.displaced, 'endSession', body)
    case bodyStatus.expired:
      return judged(bodyStatus.expired, texts.expired, 'endSession', body)
    case bodyStatus.passwordMustChange:
      return judged(bodyStatus.passwordMustChange, bodyMessage(body, texts.unknown), 'changePassword', body)
    case bodyStatus.proveAgain:
      return judged(bodyStatus.proveAgain, bodyMessage(body, texts.unknown), 'proveAgain', body)
    // The console itself says why: its disk, its database.
    case bodyStatus.unavailable:
      return judged(bodyStatus.unavailable, bodyMessage(body, texts.serverDown), 'none', body)
    default:
      return undefined
  }
}

/** Judges a failed answer that arrived with an HTTP success. */
export function judgeBody(body: Envelope, httpStatus: number): Verdict {
  const msg = bodyMessage(body, textsOf(errorTexts).unknown)
  return judgeBodyStatus(body) ?? judged(body.status ?? body.code ?? httpStatus, msg, 'none', body)
}

/**
 * Judges an answer with an HTTP error. A body status that has a meaning of its own is more precise than the
 * HTTP status beside it (an unknown token is HTTP 401 with body status 6014), so it is heard first.
 */
export function judgeHttp(httpStatus: number, body: Envelope): Verdict {
  const texts = textsOf(errorTexts)
  const status = body.status ?? httpStatus
  const special = judgeBodyStatus(body)
  if (special) return special
  switch (httpStatus) {
    case 401:
      return judged(status, texts.displacedHttp, 'endSession', body)
    case 402:
    case bodyStatus.displaced:
      return judged(status, texts.expiredHttp, 'endSession', body)
    case 403:
      return judged(status, texts.noAuthority, 'endSession', body)
  }
  if (httpStatus > 500) return judged(status, texts.serverDown, 'none', body)
  const msg = typeof body.msg === 'string' && body.msg !== '' ? body.msg : texts.unknownServer
  return judged(status, msg, 'none', body)
}

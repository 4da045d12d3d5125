import { maxChars, required, singleLine } from './texts'
import { firstOf, type Rule, violation } from './violation'

/** A phone number: 11 digits. */
export const phone: Rule<string> = (text) =>
  required(text) ?? (/^\d{11}$/.test(text) ? undefined : violation('phone.format'))

/** The mask of a mobile number: a 1, then 10 digits. */
export const mobilePhone: Rule<string> = (text) =>
  phone(text) ?? (text.startsWith('1') ? undefined : violation('phone.mobile'))

/** A mail address of at most 64 characters: the forms that mail servers accept in practice, in ASCII. */
export const email: Rule<string> = (text) =>
  firstOf(text, required, maxChars(64), (address) => (isMailAddress(address) ? undefined : violation('email.format')))

const mailLocal = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const domainLabel = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/

function isMailAddress(address: string): boolean {
  const at = address.indexOf('@')
  const labels = address.slice(at + 1).split('.')
  const top = labels.at(-1) ?? ''
  return (
    at > 0 &&
    mailLocal.test(address.slice(0, at)) &&
    labels.length > 1 &&
    labels.every((label) => domainLabel.test(label)) &&
    top.length > 1 &&
    /\D/.test(top)
  )
}

/**
 * The link of a forum, at most 50 characters. The specification names `http://` and `{host}`, the placeholder that clients
 * replace by their own host; `https://` is accepted too.
 */
export const forumLink: Rule<string> = (text) =>
  firstOf(text, required, maxChars(50), (link) => {
    const rest = /^https?:\/\/([^/?#:.].*)$/s.exec(link)?.[1] ?? /^\{host\}(.*)$/s.exec(link)?.[1]
    if (rest === undefined) return violation('link.format')
    const isForeign = /[\p{White_Space}<>"\\^`{|}]/u.test(rest) || singleLine(rest) !== undefined
    return isForeign ? violation('link.characters') : undefined
  })

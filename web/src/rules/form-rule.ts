import { currentLanguage } from '@/i18n/language'
import { required } from './texts'
import { type Rule, ruleMessage } from './violation'

/** A rule in the form that the form fields of the kit take. */
export interface FormRule<T> {
  readonly required?: boolean
  readonly validator: (rule: unknown, value: T) => Promise<void>
}

const isBlank = (value: unknown) => value === undefined || value === null || value === ''

/**
 * Makes a field rule of a shared rule. A blank field breaks no rule but `required`, so that a field is optional unless that
 * rule is listed.
 */
export function toFormRule<T>(rule: Rule<T>): FormRule<T> {
  const isPresence = rule === required
  return {
    ...(isPresence && { required: true }),
    async validator(_, value) {
      if (isBlank(value) && !isPresence) return
      const found = rule(value)
      if (found) throw new Error(ruleMessage(found, currentLanguage()))
    },
  }
}

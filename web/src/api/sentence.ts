import { textsOf } from '@/i18n/messages'
import { errorTexts } from './errors'
import { isApiFailure } from './failure'

/** A failure in one sentence for people: the first value that was refused, the refusal, or that nobody answered. */
export const sentenceOf = (error: unknown): string =>
  isApiFailure(error) ? (error.errors[0]?.message ?? error.msg) : textsOf(errorTexts).network

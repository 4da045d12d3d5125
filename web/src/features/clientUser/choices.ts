import { words as clientTypeWords } from '@/api/words/ClientType'
import { words as clientUserStatusWords } from '@/api/words/ClientUserStatus'
import { words as loginMethodWords } from '@/api/words/LoginMethod'
import { words as logoutStatusWords } from '@/api/words/LogoutStatus'
import { words as recordKindWords } from '@/api/words/RecordKind'
import { defineChoices } from '@/kit/choices'

/** Whether a customer may sign in. */
export const clientUserStatus = defineChoices(clientUserStatusWords, {
  active: 'good',
  disabled: 'bad',
  loggedOut: 'muted',
})

/** How a customer signs in. */
export const loginMethod = defineChoices(loginMethodWords)

/** What a customer signs in from. */
export const clientType = defineChoices(clientTypeWords)

/** What a record is about. */
export const recordKind = defineChoices(recordKindWords, { register: 'info', signIn: 'good', signOut: 'muted' })

/** The state of a request to close an account. */
export const logoutStatus = defineChoices(logoutStatusWords, {
  requested: 'warn',
  withdrawn: 'muted',
  completed: 'good',
})

import { describe, expect, it } from 'vitest'
import { ApiFailure } from '@/api/failure'
import { codeAskedBy } from './sign-in'

describe('the code that a refusal asks for', () => {
  const refused = (code: string, field = 'authCode') =>
    new ApiFailure({ status: 4001, httpStatus: 200, msg: '', errors: [{ field, code, message: '' }] })
  it('is the second factor or the captcha', () => {
    expect(codeAskedBy(refused('totpRequired'))).toBe('totp')
    expect(codeAskedBy(refused('captchaRequired'))).toBe('captcha')
  })
  it('is none for other refusals', () => {
    expect(codeAskedBy(refused('required', 'username'))).toBe('none')
    expect(codeAskedBy(new Error('x'))).toBe('none')
  })
})

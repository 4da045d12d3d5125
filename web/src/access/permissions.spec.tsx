import { render, screen } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Can, HasPermission, HasRole } from './permissions'
import { clearSession, updateSession } from './session'

beforeEach(() => {
  clearSession()
  updateSession({ roles: ['clientUser:list'], upermission: ['adduser', 'checkuser'] })
})

const shown = (element: React.ReactNode) => {
  render(element)
  return screen.queryByText('x') !== null
}

describe('element guards', () => {
  it('HasRole shows its children to those who hold one of the roles', () => {
    expect(shown(<HasRole roles={['other', 'clientUser:list']}>x</HasRole>)).toBe(true)
  })

  it('HasRole removes them from those who hold none', () => {
    expect(shown(<HasRole roles={['other']}>x</HasRole>)).toBe(false)
  })

  it('HasRole shows everything to the admin', () => {
    updateSession({ roles: ['admin'] })
    expect(shown(<HasRole roles={['other']}>x</HasRole>)).toBe(true)
  })

  it('HasPermission asks the permission list', () => {
    expect(shown(<HasPermission need={['adduser']}>x</HasPermission>)).toBe(true)
    expect(shown(<HasPermission need={['deluser']}>y</HasPermission>)).toBe(true)
    expect(screen.queryByText('y')).toBeNull()
  })

  it('Can asks the codes', () => {
    expect(shown(<Can need="clientUser:disable">x</Can>)).toBe(false)
  })

  it('a value that is not an array is an error', () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    // @ts-expect-error what a careless author would write
    expect(() => render(<HasRole roles="admin">x</HasRole>)).toThrow('must be an array')
    // @ts-expect-error what a careless author would write
    expect(() => render(<HasPermission need="adduser">x</HasPermission>)).toThrow('must be an array')
  })
})

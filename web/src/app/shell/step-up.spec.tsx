import { screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, expect, it, vi } from 'vitest'
import { askForProof } from '@/access/step-up'
import { call } from '@/api/call'
import { connectSession } from '@/api/session-port'
import { fakeServer, good, refused, show } from '@/testing/render'
import { Button } from '@/ui/button'
import { StepUp } from './step-up'

vi.mock('@/api/password', () => ({ encryptPassword: async (password: string) => `sealed ${password}` }))

const server = fakeServer()
const proofs = vi.fn()
const done = vi.fn()
const failed = vi.fn()
let isProved = false
let sent: unknown[] = []

const wanted = [
  { field: 'password', code: 'required', message: '' },
  { field: 'code', code: 'totpRequired', message: '' },
]

beforeEach(() => {
  for (const each of [proofs, done, failed]) each.mockReset()
  isProved = false
  sent = []
  connectSession({
    token: () => 'token',
    ended: vi.fn(),
    openLicence: vi.fn(),
    changePassword: vi.fn(),
    proveAgain: askForProof,
  })
  server.use(
    http.delete('*/api/user/v1/designjet/user', async ({ request }) => {
      sent.push(await request.json())
      return isProved ? good(null) : refused(200, 4011, '请再次确认身份', wanted)
    }),
    http.post('*/api/user/v1/me/step-up', async ({ request }) => {
      const body = (await request.json()) as { password?: string; code?: string }
      proofs(body)
      if (body.password === 'sealed Wrong_2026') {
        return refused(400, 4000, '', [{ field: 'password', code: 'password.wrong', message: '密码不正确' }])
      }
      isProved = true
      return good(null)
    }),
  )
})

const remove = (id: number) => call('operatorDelete', { body: { idList: [id] } }).then(done, failed)

function page() {
  return show(
    <>
      <Button
        onClick={() => {
          void remove(7)
          void remove(8)
        }}
      >
        delete two
      </Button>
      <StepUp />
    </>,
  )
}

it('asks once for all calls that want a proof, says what is wrong with it, and lets them go on by themselves', async () => {
  const { user } = page()
  await user.click(screen.getByRole('button', { name: 'delete two' }))
  const password = await screen.findByLabelText('登录密码', { selector: 'input' })
  expect(screen.getAllByRole('dialog')).toHaveLength(1)
  await user.type(password, 'Wrong_2026{Enter}')
  expect(await screen.findByText('密码不正确')).toBeInTheDocument()
  expect(done).not.toHaveBeenCalled()
  await user.clear(password)
  await user.type(password, 'Rack_2026{Enter}')
  await waitFor(() => expect(done).toHaveBeenCalledTimes(2))
  expect(proofs.mock.calls).toEqual([[{ password: 'sealed Wrong_2026' }], [{ password: 'sealed Rack_2026' }]])
  expect(sent).toEqual([7, 8, 7, 8].map((id) => ({ idList: [id] })))
  await waitFor(() => expect(screen.queryByText('确认身份')).not.toBeInTheDocument())
})

it('takes a code in place of the password', async () => {
  const { user } = page()
  await user.click(screen.getByRole('button', { name: 'delete two' }))
  await user.click(await screen.findByRole('button', { name: '改用动态码' }))
  await user.type(await screen.findByRole('textbox', { name: '动态码或恢复码' }), '123456{Enter}')
  await waitFor(() => expect(done).toHaveBeenCalledTimes(2))
  expect(proofs.mock.calls).toEqual([[{ code: '123456' }]])
})

it('fails the calls when the person would not', async () => {
  const { user } = page()
  await user.click(screen.getByRole('button', { name: 'delete two' }))
  await screen.findByLabelText('登录密码', { selector: 'input' })
  await user.click(screen.getByRole('button', { name: /取\s*消/ }))
  await waitFor(() => expect(failed).toHaveBeenCalledTimes(2))
  expect(failed.mock.calls[0]?.[0]).toMatchObject({ status: 4011 })
  expect(proofs).not.toHaveBeenCalled()
})

import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, expect, it, vi } from 'vitest'
import { handOver } from '@/access/handover'
import { saveFile } from '@/api/save-file'
import { fakeServer, good, refused, show } from '@/testing/render'
import ProfilePage from './page'

vi.mock('@/api/save-file')
vi.mock('@/api/password', () => ({ encryptPassword: async (password: string) => `sealed ${password}` }))

const server = fakeServer()
const me = {
  id: 7,
  username: 'alice',
  groupId: 1,
  group: { id: 2, name: '运维组' },
  accountType: 'power',
  email: 'a@b.cn',
  phone: '',
  remark: '',
  enabled: true,
  lastSignInAt: '2026-11-21T01:00:00Z',
  lastSignInIp: '10.0.0.7',
}
const session = (signedInAt: string) => ({
  id: 3,
  ip: '10.0.0.7',
  device: '谷歌浏览器',
  method: 1,
  signedInAt,
  seenAt: signedInAt,
  expiresAt: signedInAt,
  current: true,
})
const codes = ['aaaa-bbbb', 'cccc-dddd']
const called = vi.fn()
const at = (path: string) => `*/api/user/v1/${path}`
const post = (path: string, answer: () => Response) =>
  http.post(at(path), async ({ request }) => {
    called(path, await request.json())
    return answer()
  })

let isOn = false
let linked: string | null = null

beforeEach(() => {
  called.mockReset()
  isOn = false
  linked = null
  server.use(
    http.get(at('me'), () => good(me)),
    http.get(at('me/sessions'), () => good([session(new Date().toISOString())])),
    http.get(at('me/second-factor'), () => good({ enabled: isOn, enabledAt: null, recoveryCodesLeft: 10 })),
    http.get(at('me/openid'), () => good({ providerId: linked })),
    http.get(at('client/login/providers'), () => good([{ id: 'corp', name: 'Corp' }])),
  )
})

const button = (name: RegExp) => screen.findByRole('button', { name })

it('shows who one is and where one is signed in', async () => {
  show(<ProfilePage />)
  expect(await screen.findByText('alice')).toBeVisible()
  expect(screen.getByText('超级用户')).toBeVisible()
  expect(await screen.findByText('本次会话')).toBeVisible()
})

it('turns the second factor on and shows the recovery codes until they are kept', async () => {
  server.use(
    post('me/second-factor', () => good({ secret: 'ABCDEFGH', otpauthUri: 'otpauth://x', qr: 'data:,' })),
    post('me/second-factor/confirm', () => {
      isOn = true
      return good({ recoveryCodes: codes })
    }),
  )
  const { user } = show(<ProfilePage />)
  await user.click(await button(/开启两步验证/))
  await user.click(await button(/下一步/))
  expect(await screen.findByRole('img', { name: '两步验证二维码' })).toBeInTheDocument()
  expect(screen.getByText('ABCD EFGH')).toBeInTheDocument()
  await user.type(screen.getByRole('textbox', { name: /6 位动态码/ }), '123456{Enter}')
  expect(await screen.findByText('aaaa-bbbb')).toBeInTheDocument()
  expect(called.mock.calls).toEqual([
    ['me/second-factor', {}],
    ['me/second-factor/confirm', { code: '123456' }],
  ])

  await user.click(await button(/下\s*载/))
  expect(saveFile).toHaveBeenCalledWith(expect.objectContaining({ name: 'skyrack-recovery-codes-alice.txt' }))
  const finish = await button(/完\s*成/)
  expect(finish).toBeDisabled()
  await user.click(screen.getByRole('checkbox', { name: /我已妥善保存/ }))
  await user.click(finish)
  expect(await button(/关闭两步验证/)).toBeInTheDocument()
})

it('asks for the password when the server wants it', async () => {
  server.use(http.post(at('me/second-factor'), () => refused(409, 4009, '请输入密码')))
  const { user } = show(<ProfilePage />)
  await user.click(await button(/开启两步验证/))
  await user.click(await button(/下一步/))
  expect(await screen.findByText('请输入密码')).toBeInTheDocument()
  server.use(post('me/second-factor', () => good({ secret: 'ABCD', otpauthUri: '', qr: 'data:,' })))
  await user.type(screen.getByLabelText('登录密码', { selector: 'input' }), 'Rack_2026')
  await user.click(await button(/下一步/))
  await screen.findByRole('img', { name: '两步验证二维码' })
  expect(called).toHaveBeenCalledExactlyOnceWith('me/second-factor', { password: 'sealed Rack_2026' })
})

it('turns the second factor off with password and code, and says at the field what is wrong', async () => {
  isOn = true
  const errors = [{ field: 'code', code: 'totpWrong', message: '动态码不正确' }]
  server.use(post('me/second-factor/disable', () => refused(400, 4000, '', errors)))
  const { user } = show(<ProfilePage />)
  await user.click(await button(/关闭两步验证/))
  const dialog = within(await screen.findByRole('dialog'))
  await user.type(await dialog.findByLabelText('登录密码', { selector: 'input' }), 'Rack_2026')
  await user.type(dialog.getByRole('textbox', { name: '动态码或恢复码' }), '111111{Enter}')
  expect(await screen.findByText('动态码不正确')).toBeInTheDocument()
  expect(called).toHaveBeenCalledWith('me/second-factor/disable', { password: 'sealed Rack_2026', code: '111111' })
})

it('links an account once the provider has answered', async () => {
  const popup = { closed: false, close: vi.fn(), location: { href: '' } }
  vi.spyOn(window, 'open').mockReturnValue(popup as unknown as Window)
  server.use(post('me/openid/link', () => good({ url: 'https://corp.example/auth' })))
  const { user } = show(<ProfilePage />)
  await user.click(await button(/^绑\s*定$/))
  await user.click(await button(/打开登录窗口/))
  expect(await screen.findByText('不能为空，请填写')).toBeInTheDocument()
  await user.type(screen.getByLabelText('登录密码', { selector: 'input' }), 'Rack_2026')
  await user.click(await button(/打开登录窗口/))
  expect(await screen.findByText('请在打开的窗口中登录 Corp')).toBeInTheDocument()
  expect(called).toHaveBeenCalledExactlyOnceWith('me/openid/link', {
    providerId: 'corp',
    password: 'sealed Rack_2026',
  })
  await waitFor(() => expect(popup.location.href).toBe('https://corp.example/auth'))
  linked = 'corp'
  expect(await handOver({ kind: 'linked', provider: 'corp' })).toBe(true)
  expect(await screen.findByText('已绑定 Corp')).toBeInTheDocument()
  expect(await button(/解除绑定/)).toBeInTheDocument()
})

it('closes the window when the link is refused', async () => {
  const popup = { closed: false, close: vi.fn(), location: { href: '' } }
  vi.spyOn(window, 'open').mockReturnValue(popup as unknown as Window)
  server.use(http.post(at('me/openid/link'), () => refused(409, 4009, '第三方登录失败')))
  const { user } = show(<ProfilePage />)
  await user.click(await button(/^绑\s*定$/))
  await user.type(await screen.findByLabelText('登录密码', { selector: 'input' }), 'Rack_2026')
  await user.click(await button(/打开登录窗口/))
  expect(await screen.findByText('第三方登录失败')).toBeInTheDocument()
  expect(popup.close).toHaveBeenCalledOnce()
})

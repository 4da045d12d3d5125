import { screen } from '@testing-library/react'
import { http } from 'msw'
import { expect, it } from 'vitest'
import type { RowOf } from '@/api/call'
import { fakeServer, good, show } from '@/testing/render'
import BmcForm from './form'

const server = fakeServer()

const bmc: RowOf<'bmcList'> = {
  id: 3,
  roomId: 1,
  room: { id: 1, name: 'one' },
  hostId: null,
  address: '10.1.8.1',
  port: 443,
  username: 'root',
  password: { set: true, fingerprint: 'ab12', setAt: null, setBy: 'alice' },
  certificate: 'cd34',
  ranges: [],
  remark: '',
  state: 1,
  stateReason: '',
  createdAt: '2026-11-22 10:00:00',
  updatedAt: '2026-11-22 10:00:00',
}

it('says that a BMC which is moved forgets its password, and asks for one', async () => {
  server.use(http.get('*/api/fleet/v1/rooms', () => good({ list: [{ id: 1, name: '杭州' }], total: 1 })))
  const { user } = show(<BmcForm bmc={bmc} onClose={() => undefined} />)
  const address = await screen.findByRole('textbox', { name: 'BMC 地址' })
  const warning = /原密码和证书将被清除/
  expect(screen.queryByText(warning)).not.toBeInTheDocument()
  expect(screen.queryByPlaceholderText('未设置')).not.toBeInTheDocument()
  await user.type(address, '6')
  expect(await screen.findByText(warning)).toBeInTheDocument()
  await user.type(address, '{Backspace}')
  expect(screen.queryByText(warning)).not.toBeInTheDocument()
})

import { screen, within } from '@testing-library/react'
import { http } from 'msw'
import { expect, it } from 'vitest'
import { setLanguage } from '@/i18n/language'
import { fakeServer, good, show } from '@/testing/render'
import { Attention } from './attention'

const server = fakeServer()
const answers = (concerns: unknown[]) => server.use(http.get('*/api/general/v1/attention', () => good(concerns)))

const down = {
  key: 'host-3',
  urgent: true,
  title: '杭州 A-01 · blade-3 整机离线',
  cause: '离线设备：8',
  since: '2026-11-22T02:30:00.000Z',
  act: '查看并重启',
  path: '/device/management?roomId=1&hostId=3',
}
const requests = {
  ...down,
  key: 'logoutRequests',
  urgent: false,
  title: '有注销申请待处理',
  since: null,
  act: '去处理',
}

it('says of each concern how urgent it is, and leads to where it is set right', async () => {
  setLanguage('zh')
  answers([down, { ...requests, path: '/clientUser/loggedOut?status=1' }])
  show(<Attention />)
  const [first, second] = await screen.findAllByRole('listitem')
  if (!first || !second) throw new Error('two are expected')
  expect(within(first).getByRole('img', { name: '紧急' })).toBeVisible()
  expect(first).toHaveTextContent('blade-3 整机离线')
  expect(within(first).getByRole('link', { name: '查看并重启' })).toHaveAttribute('href', down.path)
  expect(within(second).getByRole('img', { name: '注意' })).toBeVisible()
  expect(screen.getByText('紧急 1')).toBeVisible()
  expect(screen.getByText('注意 1')).toBeVisible()
})

it('says that nothing is wrong, and not that it is still looking', async () => {
  setLanguage('en')
  answers([])
  show(<Attention />)
  expect(await screen.findByText('Nothing needs attention')).toBeVisible()
  expect(screen.queryByText(/^(Urgent|Notice)/)).toBeNull()
})

import { screen } from '@testing-library/react'
import { http } from 'msw'
import { expect, it } from 'vitest'
import { fakeServer, good, show } from '@/testing/render'
import { CardPhone } from './card-phone'

const server = fakeServer()
const phone = { id: 17, name: 'CP-0000017' }

it('names the phone on a card and whose it is, and leads to both', async () => {
  server.use(http.get('*/api/phone/v1/phones/17', () => good({ ...phone, user: { id: 4, name: '张三丰' } })))
  show(<CardPhone phone={phone} />)
  expect(await screen.findByRole('link', { name: '张三丰' })).toHaveAttribute('href', '/clientUser?detail=4')
  expect(screen.getByRole('link', { name: 'CP-0000017' })).toHaveAttribute('href', '/cloudPhone/list/17')
})

it('names the phone alone to those who may not see phones, and asks for nothing', async () => {
  show(<CardPhone phone={phone} />, { rights: ['device:get'] })
  expect(await screen.findByText('CP-0000017')).toBeVisible()
  expect(screen.queryByRole('link')).toBeNull()
})

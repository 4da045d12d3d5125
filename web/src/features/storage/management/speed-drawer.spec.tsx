import { screen } from '@testing-library/react'
import { http } from 'msw'
import { expect, it } from 'vitest'
import { fakeServer, good, show } from '@/testing/render'
import SpeedDrawer from './speed-drawer'

const server = fakeServer()

it('shows the limit of all rooms, in Mbit/s', async () => {
  const view = { isLimited: true, downloadMbit: 200, uploadMbit: 50, version: 1, updatedAt: null, updatedBy: null }
  server.use(http.get('*/api/storage/v1/settings/speed', () => good(view)))
  show(<SpeedDrawer onClose={() => {}} />)
  expect(await screen.findByRole('switch')).toBeChecked()
  expect(screen.getByDisplayValue('200')).toBeVisible()
  expect(screen.getByDisplayValue('50')).toBeVisible()
  expect(screen.getAllByText(/Mbit\/s/).length).toBeGreaterThan(1)
})

import { createMemoryRouter } from 'react-router'
import { expect, it } from 'vitest'
import { letLeave } from './leaving'

/** A router whose second page is there when it is let. */
function routes() {
  let open = () => {}
  const isThere = new Promise<null>((resolve) => {
    open = () => resolve(null)
  })
  const router = letLeave(
    createMemoryRouter(
      [
        { path: '/list', element: null },
        { path: '/next', element: null, loader: () => isThere },
      ],
      { initialEntries: ['/list'] },
    ),
  )
  return { router, open, address: () => router.state.location.pathname + router.state.location.search }
}

it('takes who asked for another page there, though the page that he leaves writes its address meanwhile', async () => {
  const { router, open, address } = routes()
  const gone = router.navigate('/next')
  await router.navigate('?keyWord=half', { replace: true })
  open()
  await gone
  expect(address()).toBe('/next')
})

it('lets a page write its address, and a person change his mind', async () => {
  const { router, address } = routes()
  await router.navigate('?keyWord=half', { replace: true })
  expect(address()).toBe('/list?keyWord=half')
  void router.navigate('/next')
  await router.navigate('/list?page=2')
  expect(address()).toBe('/list?page=2')
})

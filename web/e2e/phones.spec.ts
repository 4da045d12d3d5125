import { living } from './support/fleet'
import { rowAct, search } from './support/list'
import { Shell } from './support/shell'
import { expect, test } from './support/test'

// It makes and freezes phones.
test.use({ company: 'phones' })

const list = '/cloudPhone/list'

test('phones are made, found and frozen with a reason, and their page tells of it', async ({ page, enter }) => {
  await enter(undefined, 'zh', list)
  const { main } = new Shell(page)
  await main.getByRole('button', { name: '新建云手机' }).click()
  const form = page.getByRole('dialog')
  for (const field of ['用户', '归属机房']) {
    await form.getByLabel(field).click()
    await page.locator('.ant-select-dropdown:visible .ant-select-item-option').first().click()
  }
  await form.getByLabel('到期时间').fill('2030-01-01 12:00:00')
  // Enter would send the form.
  await form.getByLabel('到期时间').press('Tab')
  await form.getByLabel('名称').fill('验收机')
  await form.getByLabel('数量').fill('2')
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form).toBeHidden()
  await search(page, '编号、名称、用户、手机号、卡地址', '验收机')
  await expect(main.getByText('共 2 条')).toBeVisible()

  const first = main.getByRole('row').nth(1)
  const code = (await first.getByRole('link', { name: /^CP-/ }).textContent()) ?? ''
  await first.getByRole('link', { name: code }).click()
  await expect(page).toHaveURL(/\/cloudPhone\/list\/\d+$/)
  await main.getByRole('button', { name: '套餐与期限' }).click()
  await page.getByRole('menuitem', { name: '冻结' }).click()
  const question = page.getByRole('dialog').or(page.getByRole('alertdialog'))
  await expect(question).toContainText(code)
  await question.getByLabel('原因').fill('风控')
  await question.getByRole('button', { name: '冻结' }).click()
  await expect(question).toBeHidden()
  await expect(main.getByText('已冻结').first()).toBeVisible()
  await main.getByRole('tab', { name: '变更记录' }).click()
  await expect(main.getByRole('row', { name: /冻结.*风控/ })).toHaveCount(1)
})

test('what cannot be done to some phones of a selection is told with its reason', async ({ page, enter }) => {
  await enter(undefined, 'zh', `${list}?useType=1&life=2`)
  const { main } = new Shell(page)
  await main.getByRole('checkbox').nth(1).check()
  await main.getByRole('button', { name: '解冻', exact: true }).click()
  const question = page.getByRole('dialog').or(page.getByRole('alertdialog'))
  await question.getByRole('button', { name: '解冻' }).click()
  await expect(page.getByText('云手机未冻结')).toBeVisible()
})

const leaving = {
  zh: {
    ...{ takeOff: '下机', putOn: '上机', cancel: '取消' },
    wiped:
      '副本读回校验后数据保存在备份中，卡封存，有其他云手机需要时清除其上的数据；此前若失败，云手机在原卡上恢复运行',
    comesBack: '否则恢复其保留副本中的应用和数据',
    staysBehind: '账号、密钥、DRM 和锁屏与板卡绑定，不会恢复',
  },
  en: {
    ...{ takeOff: 'Take off', putOn: 'Put on', cancel: 'Cancel' },
    wiped:
      'Once the copy was read back, its data lies in storage, and its card is sealed, and wiped when another phone needs it; if anything fails before that',
    comesBack: 'otherwise with the apps and the data of its kept copy',
    staysBehind: 'Accounts, keys, DRM and the screen lock are bound to the board and do not come back',
  },
} as const

for (const language of ['zh', 'en'] as const) {
  test(`before phones are taken off and put on it is said what comes back, in ${language}`, async ({ page, enter }) => {
    const { takeOff, putOn, cancel, wiped, comesBack, staysBehind } = leaving[language]
    await enter(undefined, language, `${list}?useType=1`)
    const { main } = new Shell(page)
    await main.getByRole('checkbox').nth(1).check()
    for (const [act, said] of [
      [takeOff, wiped],
      [putOn, comesBack],
    ] as const) {
      await page.locator('.kit-selection').getByRole('button', { name: act, exact: true }).click()
      const question = page.getByRole('dialog', { name: act })
      await expect(question).toContainText(said)
      await expect(question).toContainText(staysBehind)
      await question.getByRole('button', { name: cancel }).click()
      await expect(question).toBeHidden()
    }
  })
}

test('views count, and one click shows their rows', async ({ page, enter }) => {
  await enter(undefined, 'zh', list)
  const { main } = new Shell(page)
  const views = main.getByRole('navigation', { name: '视图' })
  const frozen = views.getByRole('button', { name: /^冻结/ })
  await expect(frozen).toHaveText(/\d/)
  await frozen.click()
  await expect(frozen).toHaveAttribute('aria-current', 'true')
  await expect(page).toHaveURL(/life=3/)
  await views.getByRole('button', { name: /^全部/ }).click()
  await expect(page).not.toHaveURL(/life=/)
})

test('a phone is put on in a living room, is saved, says what a copy holds, and goes off', async ({ page, enter }) => {
  test.slow()
  await enter(undefined, 'zh', list)
  const { main } = new Shell(page)
  await main.getByRole('button', { name: '新建云手机' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('用户').click()
  await page.locator('.ant-select-dropdown:visible .ant-select-item-option').first().click()
  await form.getByLabel('归属机房').click()
  await page.locator('.ant-select-dropdown:visible .ant-select-item-option').filter({ hasText: living }).first().click()
  await form.getByLabel('到期时间').fill('2030-01-01 12:00:00')
  await form.getByLabel('到期时间').press('Tab')
  await form.getByLabel('名称').fill('上机验收')
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form).toBeHidden()
  await search(page, '编号、名称、用户、手机号、卡地址', '上机验收')
  const code = (await main.getByRole('link', { name: /^CP-/ }).first().textContent()) ?? ''
  await rowAct(page, code, '上机')
  const question = page.getByRole('dialog').or(page.getByRole('alertdialog'))
  await question.getByRole('button', { name: '上机' }).click()
  await main.getByRole('link', { name: code }).click()
  await expect(page).toHaveURL(/\/cloudPhone\/list\/\d+$/)
  const itsPage = page.url()

  const tab = main.getByRole('tab', { name: '备份范围' })
  await expect(tab).toBeVisible({ timeout: 90_000 })
  await tab.click()
  await main.getByRole('button', { name: '读取' }).click()
  await expect(main.getByText('所有数据都会备份，或可重新生成')).toBeVisible({ timeout: 30_000 })
  await expect(main.getByRole('region', { name: '不备份' })).toContainText('系统数据')

  // It is saved, and goes on; its copy is read back, and says what it holds.
  await main.getByRole('button', { name: '立即备份' }).click()
  await question.getByRole('button', { name: '立即备份' }).click()
  await main.getByRole('tab', { name: '备份', exact: true }).click()
  const copies = main.getByRole('tabpanel', { name: '备份', exact: true })
  await expect(copies.locator('tr[data-row]')).toContainText('已校验', { timeout: 120_000 })
  await expect(main.getByRole('button', { name: '立即备份' })).toBeVisible({ timeout: 30_000 })
  await copies.locator('tr[data-row]').getByRole('link').first().click()
  const detail = page.getByRole('dialog').or(page.getByRole('complementary'))
  await expect(detail.getByText('保留副本：不能删除')).toBeVisible()
  await detail.getByRole('tab', { name: '清单' }).click()
  await expect(detail.getByText('用户文件')).toBeVisible()
  await detail.getByRole('button', { name: '恢复口令' }).click()
  await page.getByRole('dialog').last().getByRole('button', { name: '恢复口令' }).click()
  const opened = page.getByRole('dialog', { name: /的恢复口令$/ })
  await expect(opened).toContainText('restic -r')
  await opened.getByRole('button', { name: '关闭' }).last().click()

  // All of it is read once more, and found whole.
  await detail.getByRole('button', { name: '校验', exact: true }).click()
  await expect(page.getByText('已开始校验，云手机不受影响')).toBeVisible()
  await expect(detail.getByRole('button', { name: '校验', exact: true })).toBeEnabled({ timeout: 30_000 })
  await expect(detail.getByText('已损坏')).toBeHidden()

  // It can come back on another card; the question says what does not, and for which phone it is.
  await detail.getByRole('button', { name: '恢复到新云手机' }).click()
  const restore = page.getByRole('dialog', { name: '恢复到新云手机' })
  await expect(restore).toContainText('账号、密钥、DRM 和锁屏与板卡绑定，不会恢复')
  await expect(restore.getByLabel('云手机', { exact: true })).toBeVisible()
  await restore.getByRole('button', { name: '取消' }).click()
  await expect(restore).toBeHidden()

  // It is taken off; from then on putting it on brings back what its copy holds.
  await page.goto(itsPage)
  await main.getByRole('button', { name: '下机', exact: true }).click()
  const off = page.getByRole('dialog', { name: '下机' })
  await expect(off).toContainText(leaving.zh.wiped)
  await off.getByRole('button', { name: '下机' }).click()
  await expect(main.getByText('已下机，数据在备份中')).toBeVisible({ timeout: 120_000 })
  await main.getByRole('button', { name: '上机', exact: true }).click()
  const on = page.getByRole('dialog', { name: '上机' })
  await expect(on).toContainText(leaving.zh.comesBack)
  await expect(on).toContainText(leaving.zh.staysBehind)
  await on.getByRole('button', { name: '取消' }).click()
  await expect(on).toBeHidden()
})

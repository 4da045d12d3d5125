import { describe, expect, it } from 'vitest'
import { browserName, deviceNames } from './browser'

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'

describe('the browser name', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0', '火狐浏览器'],
    [`${chrome} Edg/156.0.0.0`, 'Edge浏览器'],
    [chrome, '谷歌浏览器'],
    ['Mozilla/5.0 (Windows NT 10.0; Trident/7.0; rv:11.0) like Gecko', 'IE浏览器'],
    ['curl/8.0', '其他浏览器'],
  ])('%s is %s', (agent, name) => {
    expect(browserName(agent)).toBe(name)
  })
})

describe('a recorded device', () => {
  it('that is a browser has a name in both languages', () => {
    expect(deviceNames(browserName(chrome))).toEqual(['谷歌浏览器', 'Chrome'])
  })
  it('of another kind keeps its own name', () => {
    expect(deviceNames('HUAWEI Mate 60')).toEqual(['HUAWEI Mate 60', 'HUAWEI Mate 60'])
  })
})

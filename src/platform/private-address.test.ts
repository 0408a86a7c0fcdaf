import { expect, test } from "vitest";
import { isPrivateAddress, isPrivateHost } from "./private-address.ts";

test.each(
  "0.0.0.0 10.255.255.255 100.64.0.1 127.0.0.2 169.254.169.254 172.16.0.1 192.168.1.1 224.0.0.251 255.255.255.255 :: ::1 ::ffff:10.0.0.1 ::ffff:7f00:1 ::127.0.0.1 fe80::1 fe80::1%eth0 fd12::1 ff02::1 64:ff9b::192.168.0.1 2002:c0a8:1::1 192.0.2.1 192.88.99.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 ::ffff:0:7f00:1 ::ffff:0:127.0.0.1 64:ff9b:1::1 64:ff9b::198.18.0.1 100::1 100:0:0:1::1 2001::1 2001:db8::1 3fff::1 5f00::1".split(
    " ",
  ),
)("%s is private", (address) => {
  expect(isPrivateAddress(address)).toBe(true);
});

test.each(
  "1.1.1.1 9.255.255.255 100.63.0.1 100.128.0.1 128.0.0.1 172.15.0.1 172.32.0.1 192.167.0.1 223.255.255.255 ::ffff:8.8.8.8 2606:4700::1111 64:ff9b::8.8.8.8 2002:808:808::1 198.17.0.1 198.20.0.1 203.0.114.1 100:0:0:2::1 2001:200::1 2001:4860:4860::8888 2620:4f:8000::1 3ffe::1 example.com 127.0.0.1.example.com".split(
    " ",
  ),
)("%s is not", (address) => {
  expect(isPrivateAddress(address)).toBe(false);
});

test("a host is private by its spelling: brackets, dots at the end, names below localhost", () => {
  const hosts = ["[::1]", "127.0.0.1.", "localhost", "LOCALHOST..", "a.b.localhost"];
  expect(hosts.filter((host) => !isPrivateHost(host))).toEqual([]);
  expect(["notlocalhost", "localhost.example.com", ""].filter(isPrivateHost)).toEqual([]);
});

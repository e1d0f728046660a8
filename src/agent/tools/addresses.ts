import { BlockList, isIP } from "node:net";

/** Whether an address leads into a private network or to this machine, where a page of the web has nothing to seek. */
export function isPrivateAddress(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  const kind = isIP(bare);
  if (kind === 0) return true;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped !== undefined) return isPrivateAddress(mapped);
  return kind === 4 ? privateAddresses.check(bare, "ipv4") : !globalAddresses.check(bare, "ipv6");
}

const privateAddresses = new BlockList();
const ranges: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];
for (const [address, bits] of ranges) privateAddresses.addSubnet(address, bits, "ipv4");

/** Everything public is in this one, without tunnels to the other kind of address. */
const globalAddresses = new BlockList();
globalAddresses.addSubnet("2400::", 6, "ipv6");
globalAddresses.addSubnet("2600::", 7, "ipv6");
globalAddresses.addSubnet("2800::", 5, "ipv6");
globalAddresses.addSubnet("2001:200::", 23, "ipv6");
globalAddresses.addSubnet("2001:400::", 22, "ipv6");
globalAddresses.addSubnet("2001:800::", 21, "ipv6");
globalAddresses.addSubnet("2001:1000::", 20, "ipv6");
globalAddresses.addSubnet("2001:2000::", 19, "ipv6");
globalAddresses.addSubnet("2001:4000::", 18, "ipv6");
globalAddresses.addSubnet("2001:8000::", 17, "ipv6");

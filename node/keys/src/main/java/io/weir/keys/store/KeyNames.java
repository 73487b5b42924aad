package io.weir.keys.store;

import io.weir.core.bucket.Names;
import io.weir.keys.record.RecordType;
import io.weir.state.wire.ExtensionPartition;
import io.weir.state.wire.RedisKeys;

/** The names of records in Redis. A record and its line in the index are in the same part of a Redis Cluster. */
final class KeyNames {
  /** The parts of the index of keys in each partition. */
  static final int KEY_PARTS = 256;
  /** The same with that of subjects whose names are no ids of keys, the last one. */
  static final int INDEX_PARTS = KEY_PARTS + 1;

  private static final int UNITS = 31;

  private KeyNames() {}

  /** A hash: the record of a key or a tenant. */
  static String record(RecordType kind, String id) {
    return RedisKeys.ofExtension(kind == RecordType.KEY ? "apikey" : "tenant-record", id);
  }

  /** A hash: the id of the key with this hash of its whole text. */
  static String alias(String hash) {
    return RedisKeys.ofExtension("apikey-of", hash);
  }

  /** A sorted set: the ids of keys that operators of a tenant are making. */
  static String places(String tenant) {
    return RedisKeys.ofExtension("key-places", tenant);
  }

  /** A sorted set: the tenants and ids of some keys. */
  static String keyIndex(int partition, int part) {
    return part == KEY_PARTS
        ? subjectIndex(partition)
        : RedisKeys.ofPart(partition, "apikeys:%02x".formatted(part));
  }

  /** A sorted set: the tenants and names of the subjects with records whose names are no ids of keys. */
  static String subjectIndex(int partition) {
    return RedisKeys.ofPart(partition, "apikeys:subjects");
  }

  /** A sorted set: the names of the tenants with records in a partition. */
  static String tenantIndex(int partition) {
    return RedisKeys.ofPart(partition, "tenant-records");
  }

  /** The index with a record. */
  static String index(RecordType kind, String id) {
    int partition = ExtensionPartition.of(id);
    return kind == RecordType.TENANT ? tenantIndex(partition) : keyIndex(partition, indexPart(id));
  }

  // Any spread that is the same everywhere.
  private static int indexPart(String id) {
    if (!Names.isId(id)) {
      return KEY_PARTS;
    }
    int hash = 0;
    for (int i = 0; i < id.length(); i++) {
      hash = UNITS * hash + id.charAt(i);
    }
    return Math.floorMod(hash ^ (hash >>> 16), KEY_PARTS);
  }

  /** The first text behind all members of a tenant's keys: names begin with a character behind the space. */
  static String behindMembers(String tenant) {
    return tenant + "!";
  }

  /** The member of an index. */
  static String member(RecordType kind, String tenant, String id) {
    return kind == RecordType.TENANT ? id : tenant + " " + id;
  }

  /** A hash: the number of the last change, in a part of the shared state. */
  static String changes(int parts, int part) {
    return parts == 1 ? "weir:keys" : RedisKeys.ofPart(part, "keys");
  }

  /** A hash: the stored token of an operator. */
  static String token(String name) {
    return RedisKeys.ofPart(0, "operator-token:" + name);
  }

  /** A sorted set: the names of the stored tokens. */
  static String tokenIndex() {
    return RedisKeys.ofPart(0, "operator-tokens");
  }
}

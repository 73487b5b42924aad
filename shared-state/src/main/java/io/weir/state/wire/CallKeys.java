package io.weir.state.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The keys of a call: that of the policy, then the states, then all others. States of tenants and of the cluster, and keys
 * other than states, are there once each. Mutable; owned by one batch, reused.
 */
final class CallKeys {
  private final String policy;
  private final ByteBuf states = Unpooled.buffer(4096);
  private final Map<String, Integer> tenants = new HashMap<>();
  /** Keys other than states, with their index. */
  private final Map<String, Integer> others = new LinkedHashMap<>();

  private int count;
  private int cluster;

  /** @param policy the key that has the newest revision */
  CallKeys(String policy) {
    this.policy = policy;
  }

  /** Forgets all but the key of the policy. */
  void begin() {
    states.clear();
    tenants.clear();
    others.clear();
    count = 1;
    cluster = 0;
    Bulk.writeText(states, policy.getBytes(US_ASCII));
  }

  String policy() {
    return policy;
  }

  /** Adds the state of a key; returns its index. */
  int addKey(String tenant, String subject) {
    RedisKeys.writeKey(states, tenant, subject);
    return ++count;
  }

  /** The index of the state of a tenant. */
  int tenant(String tenant) {
    return tenants.computeIfAbsent(tenant, name -> addState(RedisKeys.tenant(name)));
  }

  /** The index of the state of the cluster. */
  int cluster() {
    if (cluster == 0) {
      cluster = addState(RedisKeys.CLUSTER);
    }
    return cluster;
  }

  /** The index of a key other than a state, from 1, among those that follow the states. */
  int other(String key) {
    return others.computeIfAbsent(key, added -> others.size() + 1);
  }

  private int addState(String state) {
    Bulk.writeText(states, state.getBytes(US_ASCII));
    return ++count;
  }

  /** The number of keys in front of those other than states. */
  int beforeOthers() {
    return count;
  }

  int all() {
    return count + others.size();
  }

  void write(ByteBuf to) {
    to.writeBytes(states, 0, states.writerIndex());
    for (String key : others.keySet()) {
      Bulk.writeText(to, key.getBytes(US_ASCII));
    }
  }
}

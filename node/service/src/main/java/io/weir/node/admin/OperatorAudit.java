package io.weir.node.admin;

import io.vertx.core.Future;
import io.weir.node.auth.Operator;
import io.weir.state.audit.RedisAudit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The audit of what operators have done: it is done, so a line that cannot be added is left out and logged. */
public final class OperatorAudit {
  private static final Logger LOG = LoggerFactory.getLogger(OperatorAudit.class);

  private final OperatorWork work;
  private final RedisAudit audit;

  /** Adds its lines to an audit in the shared state. */
  public OperatorAudit(OperatorWork work, RedisAudit audit) {
    this.work = work;
    this.audit = audit;
  }

  /**
   * Adds a line, see {@link RedisAudit#add}.
   *
   * @return never fails
   */
  public Future<Void> add(
      Operator operator, String what, String record, String before, String after) {
    return work.of(audit.add(operator.name(), what, record, before, after))
        .onFailure(error -> LOG.warn("not in the audit: {} of {}", what, record, error))
        .otherwiseEmpty();
  }
}

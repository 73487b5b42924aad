package io.weir.testkit;

import static org.junit.jupiter.api.extension.ConditionEvaluationResult.disabled;
import static org.junit.jupiter.api.extension.ConditionEvaluationResult.enabled;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Runs only the facts of a contract that are tagged {@value #TAG}: those that another way to the same Lua code can
 * break. With {@code -Pthorough} all of them run.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(TransportFacts.Condition.class)
public @interface TransportFacts {
  String TAG = "transport";

  /** Disables the other facts. */
  final class Condition implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      boolean runs = context.getTestMethod().isEmpty()
          || Histories.areThorough()
          || context.getTags().contains(TAG);
      return runs ? enabled("a fact of the transport") : disabled("with -Pthorough");
    }
  }
}

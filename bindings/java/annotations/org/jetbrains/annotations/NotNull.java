package org.jetbrains.annotations;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A parameter or result that is never null.
 *
 * <p>Kotlin reads the annotation by its name from class files. It has the same name as that of
 * JetBrains, and is only on the class path of the compiler, so programs can use any version of theirs.
 */
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.METHOD, ElementType.PARAMETER})
public @interface NotNull {}

package io.github.wheelscheduler.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.TypeInsnNode;

/**
 * Loads the engine anew, with a call of {@link Fault#at} in front of each instruction that may fail: it allocates, asks
 * for stack, or calls foreign code. A place is named by its class, its method, and its number in that, so that it keeps
 * its name when lines move.
 */
final class FaultLoader extends ClassLoader {

    private static final String OURS = "io.github.wheelscheduler.";

    /** The classes that test and engine share. */
    private static final Set<String> SHARED =
            Set.of(Fault.class.getName(), Fault.Thrown.class.getName(), FaultLoader.class.getName());

    private static final List<String> NOT_FAILING = List.of(OURS + "faults.", OURS + "testing.");

    /** Names of methods of the JDK's collections and threads that need memory. */
    private static final Set<String> ALLOCATING = Set.of(
            "add",
            "addAll",
            "compute",
            "computeIfAbsent",
            "computeIfPresent",
            "copyOf",
            "ensureCapacity",
            "merge",
            "offer",
            "put",
            "putIfAbsent",
            "start",
            "toArray");

    /** Methods that make an object, whose like are elsewhere in texts of errors. */
    private static final Set<String> MAKING = Set.of("Duration.ofNanos", "Integer.valueOf");

    /** Code of the user's. Tasks throw by themselves. */
    private static final Set<String> FOREIGN = Set.of(
            "Executor.execute",
            "Function.apply",
            "InstantSource.instant",
            "RejectionHandler.rejected",
            "RunHooks.afterRun",
            "RunHooks.beforeRun",
            "RunObserver.starting",
            "ThreadFactory.newThread",
            "TimeSource.nanoTime",
            "TimeSource.parkNanos");

    /** Null to leave all in. */
    private final @Nullable String removedCatch;

    /** With all of the engine, or without one of its catches, which is named as {@link Fault#CAUGHT} does. */
    FaultLoader(ClassLoader parent, @Nullable String removedCatch) {
        super(parent);
        this.removedCatch = removedCatch;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OURS) || SHARED.contains(name)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] code = in.readAllBytes();
            byte[] failing = NOT_FAILING.stream().anyMatch(name::startsWith) ? code : withFaults(code);
            return defineClass(name, failing, 0, failing.length);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private byte[] withFaults(byte[] code) {
        ClassNode type = new ClassNode();
        new ClassReader(code).accept(type, 0);
        String name = simpleName(type.name);
        for (MethodNode method : type.methods) {
            noteCatches(method, name + '.' + method.name);
            // A class that could not be initialised stays so: none of ours is to be loaded without memory.
            if (!method.name.equals("<clinit>")) {
                addFaults(method, name + '.' + method.name);
            }
        }
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        type.accept(writer);
        return writer.toByteArray();
    }

    private void noteCatches(MethodNode method, String name) {
        Set<LabelNode> handlers = new LinkedHashSet<>();
        for (TryCatchBlockNode each : method.tryCatchBlocks) {
            if ("java/lang/Throwable".equals(each.type) || "java/lang/OutOfMemoryError".equals(each.type)) {
                handlers.add(each.handler);
            }
        }
        int number = 0;
        for (LabelNode handler : handlers) {
            number++;
            String catching = name + " catch " + number;
            if (catching.equals(removedCatch)) {
                method.tryCatchBlocks.removeIf(each -> each.handler == handler);
            } else {
                AbstractInsnNode first = handler.getNext();
                while (first.getOpcode() < 0) {
                    first = first.getNext();
                }
                method.instructions.insertBefore(first, callOf("caught", catching));
            }
        }
    }

    private static InsnList callOf(String method, String argument) {
        InsnList call = new InsnList();
        call.add(new LdcInsnNode(argument));
        call.add(new MethodInsnNode(
                Opcodes.INVOKESTATIC, Fault.class.getName().replace('.', '/'), method, "(Ljava/lang/String;)V"));
        return call;
    }

    private static void addFaults(MethodNode method, String name) {
        Map<LabelNode, LabelNode> moved = new HashMap<>();
        int number = 0;
        for (AbstractInsnNode instruction : method.instructions.toArray()) {
            String failing = failing(instruction);
            if (failing != null) {
                number++;
                InsnList call = callOf("at", name + '#' + number + failing);
                LabelNode own = new LabelNode();
                call.add(own);
                for (AbstractInsnNode before = instruction.getPrevious();
                        before != null && before.getOpcode() < 0;
                        before = before.getPrevious()) {
                    if (before instanceof LabelNode label) {
                        moved.put(label, own);
                    }
                }
                method.instructions.insertBefore(instruction, call);
            }
        }
        for (AbstractInsnNode instruction : method.instructions.toArray()) {
            if (instruction instanceof FrameNode frame) {
                // An object that is being made is named by the place of its instruction.
                replace(frame.local, moved);
                replace(frame.stack, moved);
            }
        }
    }

    private static void replace(@Nullable List<Object> types, Map<LabelNode, LabelNode> moved) {
        if (types != null) {
            types.replaceAll(type -> type instanceof LabelNode label ? moved.getOrDefault(label, label) : type);
        }
    }

    /** Returns what may fail at the instruction; null if nothing does. */
    private static @Nullable String failing(AbstractInsnNode instruction) {
        return switch (instruction.getOpcode()) {
            case Opcodes.NEW, Opcodes.ANEWARRAY -> Fault.ALLOCATES + simpleName(((TypeInsnNode) instruction).desc);
            case Opcodes.NEWARRAY, Opcodes.MULTIANEWARRAY -> Fault.ALLOCATES + "array";
            case Opcodes.INVOKEDYNAMIC -> Fault.ALLOCATES + "lambda";
            case Opcodes.INVOKEVIRTUAL, Opcodes.INVOKEINTERFACE, Opcodes.INVOKESTATIC ->
                failing((MethodInsnNode) instruction);
            default -> null;
        };
    }

    private static @Nullable String failing(MethodInsnNode call) {
        String called = simpleName(call.owner) + '.' + call.name;
        if (FOREIGN.contains(called)) {
            return Fault.CALLS + called;
        }
        if (called.startsWith("StackReserve.")) {
            return Fault.ASKS + called;
        }
        boolean isAllocating = call.owner.startsWith("java/") && ALLOCATING.contains(call.name);
        return isAllocating || MAKING.contains(called) ? Fault.ALLOCATES + called : null;
    }

    private static String simpleName(String internalName) {
        return internalName.substring(internalName.lastIndexOf('/') + 1);
    }
}
